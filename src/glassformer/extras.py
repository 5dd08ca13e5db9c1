"""Packages that a part of Glassformer needs and a plain installation has not: which extra brings each, and the sentence
for who lacks one. It imports none of them.

    with needing("engines", "This engine"):
        import onnxruntime   # or any module of ours that does
"""

from collections.abc import Iterator
from contextlib import contextmanager

from glassformer.errors import InputError

EXTRAS = {
    "exchange": ("transformers", "sentencepiece"),
    "sheets": ("openpyxl",),
    "documents": ("pypdf",),
    "data": ("datasets", "pyarrow"),
    "track": ("tensorboard",),
    "ray": ("ray",),
    "notebook": ("anywidget",),
    "engines": ("onnx", "onnxruntime"),
    "ctranslate2": ("ctranslate2", "transformers"),
    "gguf": ("accelerate", "gguf", "transformers"),
}


def to_install(error: ImportError, extra: str = "") -> str:
    """What brings the package that an import failed for: of several extras this one, if it does. Nothing, where none
    does."""
    package = (error.name or "").partition(".")[0]
    having = [name for name, packages in EXTRAS.items() if package in packages]
    return f"pip install 'glassformer[{extra if extra in having else having[0]}]'" if having else ""


def lacking(error: ImportError, what: str = "This", extra: str = "") -> str:
    """A sentence for who lacks a package of an extra; nothing, if the import failed for another reason."""
    install = to_install(error, extra)
    package = (error.name or "").partition(".")[0]
    return f"{what} needs the package {package}, which is not installed: {install}." if install else ""


@contextmanager
def needing(extra: str, what: str) -> Iterator[None]:
    """Refuses in words where a package of an extra is missing; another import that fails is a fault, and stays one."""
    try:
        yield
    except ModuleNotFoundError as error:
        if not (said := lacking(error, what, extra)):
            raise
        raise InputError(said) from error
