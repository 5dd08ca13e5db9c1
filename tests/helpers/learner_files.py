"""Attention as learners write it in NumPy: one right function, and the usual mistakes."""

NUMPY = """
import numpy as np

def softmax(z, axis=-1):
    powers = np.exp(z - z.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)

def right(q, k, v):
    return softmax(q @ k.T / np.sqrt(k.shape[1])) @ v

def unscaled(q, k, v):
    return softmax(q @ k.T) @ v

def by_d(x, W_Q, W_K, W_V, W_O):
    return softmax((x @ W_Q) @ (x @ W_K).T / 3) @ (x @ W_V) @ W_O

def sigmoid(q, k, v):
    return 1 / (1 + np.exp(-q @ k.T / np.sqrt(3))) @ v

def swapped(x, W_Q, W_K, W_V):
    return softmax(x @ W_Q @ (x @ W_V).T / np.sqrt(3)) @ (x @ W_K)

def swapped_scores(q, k, v):
    scores = q @ v.T
    return {"scores": scores, "output": softmax(scores / np.sqrt(3)) @ k}

def wrong_axis(x, W_Q, W_K, W_V):
    q, k, v = x @ W_Q, x @ W_K, x @ W_V
    scores = q @ k.T
    scaled = scores / np.sqrt(3)
    weights = softmax(scaled, axis=0)
    return {"Q": q, "K": k, "V": v, "scores": scores, "scaled": scaled, "weights": weights, "output": weights @ v}

def with_weights(q, k, v):
    weights = softmax(q @ q.T / np.sqrt(3))
    return weights @ v, weights

def raises(q, k, v):
    raise RuntimeError("no idea")

def leaves(q, k, v):
    import os
    os._exit(3)

def waits(q, k, v):
    while True:
        pass

def prints(q, k, v):
    print("{" * 50)
    return right(q, k, v)

def odd(q, k, v, temperature):
    return q

def words(q, k, v):
    return {"hello": q}
"""
