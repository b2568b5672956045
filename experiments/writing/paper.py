"""The figures that the paper prints."""

from __future__ import annotations

from collections.abc import Mapping

# Table 1: (margin, raw mean rank, filtered mean rank).
TABLE_1: Mapping[str, tuple[float, int, int]] = {
    "Subset1": (3, 339, 240),
    "Subset2": (2, 500, 365),
    "FB15K": (1, 243, 125),
}

# Table 3: (raw, filtered) mean rank on WN18, then on FB15K.
TABLE_3: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "Unstructured": {"wn18": (315, 304), "fb15k": (1074, 979)},
    "RESCAL": {"wn18": (1180, 1163), "fb15k": (828, 683)},
    "SE": {"wn18": (1011, 985), "fb15k": (273, 162)},
    "SME(linear)": {"wn18": (545, 533), "fb15k": (274, 154)},
    "SME(bilinear)": {"wn18": (526, 509), "fb15k": (284, 158)},
    "LFM": {"wn18": (469, 456), "fb15k": (283, 164)},
    "TransE": {"wn18": (263, 251), "fb15k": (243, 125)},
    "TransH(bern)": {"wn18": (401, 388), "fb15k": (212, 87)},
    "TransH(unif)": {"wn18": (318, 303), "fb15k": (211, 84)},
    "TransA": {"wn18": (165, 153), "fb15k": (164, 58)},
}

# Table 4: accuracy in per cent.
TABLE_4: Mapping[str, Mapping[str, float]] = {
    "SE": {"wn11": 53.0, "fb13": 75.2},
    "SME(linear)": {"wn11": 70.0, "fb13": 63.7},
    "SLM": {"wn11": 69.9, "fb13": 85.3},
    "LFM": {"wn11": 73.8, "fb13": 84.3},
    "NTN": {"wn11": 70.4, "fb13": 87.1, "fb15k": 68.5},
    "TransH(unif)": {"wn11": 77.7, "fb13": 76.5, "fb15k": 79.0},
    "TransH(bern)": {"wn11": 78.8, "fb13": 83.3, "fb15k": 80.2},
    "TransA": {"wn11": 93.2, "fb13": 82.8, "fb15k": 87.7},
}

# Section 5: the paper's settings of TransA, mu 0.5 and L1 everywhere.
HYPER_PARAMETERS: Mapping[str, Mapping[str, float]] = {
    "wn18": {"lr": 0.001, "dim": 100, "batch": 1440},
    "fb15k": {"lr": 0.001, "dim": 50, "batch": 4800},
    "wn11": {"lr": 0.001, "dim": 220, "batch": 120},
    "fb13": {"lr": 0.001, "dim": 50, "batch": 480},
}
