"""Small notes with a wrong number, one that follows from it, and a habit."""

NOTES = """# A small one

$$Q = \\begin{bmatrix} 1 & 2 \\end{bmatrix} \\begin{bmatrix} 1 & 0 \\\\ 0 & 1 \\end{bmatrix} = [1, 3]$$

$$S = Q \\begin{bmatrix} 2 \\\\ 1 \\end{bmatrix} = 5$$

Half of it: 5 / 2 = 2.5, and [2, 5] / 3 = [0.66, 1.66]
"""
