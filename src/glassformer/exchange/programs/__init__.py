"""Exports that another engine runs: graphs for ONNX Runtime, a program of torch, a folder for CTranslate2."""
