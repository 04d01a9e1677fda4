"""Scripts that part no words."""

__all__ = ["UNSPACED"]

# For a character class: Thai and Lao, Burmese, Khmer, kana, Chinese characters
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
