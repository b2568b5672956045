"""The energies, penalties and images of all models, of one triple, written out from their papers.

In float64 and plain NumPy, with nothing of `transa.models` but the tables and the settings that are
handed in: slow, and short enough to be held against the paper by eye. `of` says how the triple's
own rows are called in the formulas.
"""

from __future__ import annotations

import numpy as np


def length(x, norm):
    """‖x‖₁, ‖x‖₂ or ‖x‖₂²."""
    return {
        "l1": sum(abs(x)),
        "l2": sum(x**2) ** 0.5,
        "l2sq": sum(x**2),
    }[norm]


def as_complex(row):
    """Real parts first, then imaginary ones."""
    d = len(row) // 2
    return np.array([complex(row[i], row[d + i]) for i in range(d)])


def of(p, h, r, t, *of_relation):
    """The vectors h and t, and the rows of relation r in the tables named."""
    return p["entity"][h], p["entity"][t], *(p[name][r] for name in of_relation)


# --- energies: f_r(h, t), lower is better -------------------------------------------------------


def transe(p, h, r, t, settings):
    """‖h + r − t‖ (Bordes et al. 2013); LMNN's too (Fan et al. 2015)."""
    h, t, r = of(p, h, r, t, "relation")
    return length(h + r - t, settings.norm)


def transh_image(p, e, r):
    """e⊥ = e − wᵀe w (Wang et al. 2014)."""
    e, w = p["entity"][e], p["normal"][r]
    return e - sum(w * e) * w


def transh(p, h, r, t, settings):
    """‖h⊥ + d − t⊥‖."""
    moved = transh_image(p, h, r) + p["relation"][r] - transh_image(p, t, r)
    return length(moved, settings.norm)


def transr_image(p, e, r):
    """M e, entry by entry (Lin et al. 2015, whose rows are our columns)."""
    e, m = p["entity"][e], p["projection"][r]
    return np.array([sum(m[i, j] * e[j] for j in range(len(e))) for i in range(len(m))])


def transr(p, h, r, t, settings):
    """‖M h + r − M t‖."""
    moved = transr_image(p, h, r) + p["relation"][r] - transr_image(p, t, r)
    return length(moved, settings.norm)


def unstructured_image(p, e, r):
    """The entity itself."""
    return p["entity"][e]


def unstructured(p, h, r, t, settings):
    """‖h − t‖₂² (Bordes et al. 2014)."""
    return sum((p["entity"][h] - p["entity"][t]) ** 2)


def se(p, h, r, t, settings):
    """‖R₁ h − R₂ t‖₁ (Bordes et al. 2011)."""
    h, t, r1, r2 = of(p, h, r, t, "left", "right")
    d = range(len(h))
    return sum(abs(sum(r1[i, j] * h[j] - r2[i, j] * t[j] for j in d)) for i in d)


def sme_linear(p, h, r, t, settings):
    """−(W₁ h + W₂ r + b)ᵀ(W₃ t + W₄ r + b′) (Bordes et al. 2014)."""
    h, t, r = of(p, h, r, t, "relation")
    w1, w2, b = (p[f"left_{name}"][0] for name in ("entity", "relation", "bias"))
    w3, w4, b_prime = (p[f"right_{name}"][0] for name in ("entity", "relation", "bias"))
    return -sum(
        (sum(w1[k] * h) + sum(w2[k] * r) + b[k]) * (sum(w3[k] * t) + sum(w4[k] * r) + b_prime[k])
        for k in range(len(b))
    )


def sme_bilinear(p, h, r, t, settings):
    """−((W ×₃ r) h + b)ᵀ((W′ ×₃ r) t + b′) (Bordes et al. 2014)."""
    h, t, r = of(p, h, r, t, "relation")

    def network(side, e):
        w, b = p[side][0], p[f"{side}_bias"][0]
        return [b[k] + sum(w[k, i, j] * e[i] * r[j] for i, j in np.ndindex(w[k].shape))
                for k in range(len(b))]  # fmt: skip

    return -sum(a * b for a, b in zip(network("left", h), network("right", t), strict=True))


def lfm(p, h, r, t, settings):
    """−(yᵀR y′ + hᵀR z + zᵀR t + hᵀR t), R = Σᵢ αᵢ uᵢ vᵢᵀ (Jenatton et al. 2012)."""
    h, t, alpha = of(p, h, r, t, "relation")
    u, v = p["left"][0], p["right"][0]
    y, y_prime, z = p["context"][0]
    matrix = sum(alpha[i] * np.outer(u[i], v[i]) for i in range(len(alpha)))
    return -(
        bilinear(y, matrix, y_prime)
        + bilinear(h, matrix, z)
        + bilinear(z, matrix, t)
        + bilinear(h, matrix, t)
    )


def bilinear(x, m, y):
    """xᵀM y."""
    return sum(x[i] * m[i, j] * y[j] for i, j in np.ndindex(m.shape))


def rescal(p, h, r, t, settings):
    """−hᵀM t (Nickel et al. 2011)."""
    h, t, m = of(p, h, r, t, "relation")
    return -bilinear(h, m, t)


def slm(p, h, r, t, settings):
    """−uᵀ tanh(R₁ h + R₂ t) (Socher et al. 2013)."""
    h, t, r1, r2, u = of(p, h, r, t, "left", "right", "output")
    return -sum(u[k] * np.tanh(sum(r1[k] * h) + sum(r2[k] * t)) for k in range(len(u)))


def ntn(p, h, r, t, settings):
    """−uᵀ tanh(hᵀW t + V₁ h + V₂ t + b) (Socher et al. 2013)."""
    h, t, w, v1, v2, b, u = of(p, h, r, t, "tensor", "left", "right", "bias", "output")
    return -sum(
        u[k] * np.tanh(bilinear(h, w[k], t) + sum(v1[k] * h) + sum(v2[k] * t) + b[k])
        for k in range(len(u))
    )


def distmult(p, h, r, t, settings):
    """−Σᵢ hᵢ rᵢ tᵢ (Yang et al. 2015)."""
    h, t, r = of(p, h, r, t, "relation")
    return -sum(h * r * t)


def complex_(p, h, r, t, settings):
    """−Re Σᵢ hᵢ rᵢ t̄ᵢ (Trouillon et al. 2016)."""
    h, t, r = map(as_complex, of(p, h, r, t, "relation"))
    return -sum(h * r * t.conj()).real


def rotate(p, h, r, t, settings):
    """Σᵢ |hᵢ rᵢ − tᵢ|, rᵢ = e^{iθᵢ} (Sun et al. 2019)."""
    h, t, theta = of(p, h, r, t, "angle")
    return sum(abs(as_complex(h) * np.exp(1j * theta) - as_complex(t)))


ENERGIES = {
    "transe": transe,
    "transh": transh,
    "transr": transr,
    "lmnn": transe,
    "unstructured": unstructured,
    "se": se,
    "sme-linear": sme_linear,
    "sme-bilinear": sme_bilinear,
    "lfm": lfm,
    "rescal": rescal,
    "slm": slm,
    "ntn": ntn,
    "distmult": distmult,
    "complex": complex_,
    "rotate": rotate,
}

# --- images: an entity where its relation sees it, so that f_r(h, t) = ‖h⊥ + r − t⊥‖ ------------

IMAGES = {"transh": transh_image, "transr": transr_image, "unstructured": unstructured_image}

# --- penalties: what a true triple adds to its loss ---------------------------------------------


def pull(p, h, r, t, settings):
    """μ / (1 − μ) times the triple's own energy (Fan et al. 2015)."""
    return settings.pull * transe(p, h, r, t, settings)


def soft_constraints(p, h, r, t, settings):
    """C ([‖h‖² − 1]₊ + [‖t‖² − 1]₊ + [(wᵀd)² / ‖d‖² − ε²]₊) (Wang et al. 2014).

    ε is 10⁻³, and entities on the sphere are within it, for all that float32 can tell.
    """
    h, t, w, d = of(p, h, r, t, "normal", "relation")
    too_long = sum(max(0, sum(e**2) - 1 - 1e-5) for e in (h, t))
    off_plane = max(0, sum(w * d) ** 2 / sum(d**2) - 1e-3**2)
    return settings.soft * (too_long + off_plane)


def squared_lengths(*of_relation):
    """λ (‖h‖² + ‖t‖² + ‖r‖²), r being all that the relation has of its own."""

    def penalty(p, h, r, t, settings):
        return settings.l2 * sum(np.sum(row**2) for row in of(p, h, r, t, *of_relation))

    return penalty


def sparse(p, h, r, t, settings):
    """λ (‖h‖² + ‖t‖² + ‖α‖²) + λ′ ‖α‖₁ (Jenatton et al. 2012)."""
    squares = squared_lengths("relation")(p, h, r, t, settings)
    return squares + settings.sparsity * sum(abs(p["relation"][r]))


def nuclear(numbers):
    """λ (‖h‖² + ...) + λ′ (‖h‖₃³ + ‖t‖₃³ + ‖r‖₃³) (Lacroix et al. 2018)."""

    def penalty(p, h, r, t, settings):
        squares = squared_lengths("relation")(p, h, r, t, settings)
        rows = of(p, h, r, t, "relation")
        return squares + settings.n3 * sum(sum(abs(numbers(row)) ** 3) for row in rows)

    return penalty


def kept_short(p, h, r, t, settings):
    """λ (‖h‖² + ‖t‖² + ‖M‖²), and λ′ (‖Mᵀh‖² + ‖t‖²) (Zhang et al. 2020)."""
    head, tail = p["entity"][h], p["entity"][t]
    moved = p["relation"][r].T @ head
    squares = squared_lengths("relation")(p, h, r, t, settings)
    return squares + settings.dura * (sum(moved**2) + sum(tail**2))


PENALTIES = {
    "transh": soft_constraints,
    "lmnn": pull,
    "sme-linear": squared_lengths("relation"),
    "sme-bilinear": squared_lengths("relation"),
    "lfm": sparse,
    "rescal": kept_short,
    "slm": squared_lengths("left", "right", "output"),
    "ntn": squared_lengths("tensor", "left", "right", "bias", "output"),
    "distmult": nuclear(lambda row: row),
    "complex": nuclear(as_complex),
}
