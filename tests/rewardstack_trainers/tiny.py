"""A tiny Llama and a byte-level tokenizer, made here: nothing is downloaded."""


def tiny_tokenizer():
    """Return a byte-level tokenizer; any text comes back as it went in."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: place for place, token in enumerate(["<eos>", "<pad>", *alphabet])}
    made = Tokenizer(models.BPE(vocabulary, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token="<eos>", pad_token="<pad>", padding_side="left"
    )


def tiny_model(tokenizer):
    """Return a Llama of some thousand parameters, the same each time."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    torch.set_num_threads(1)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer), hidden_size=8, intermediate_size=16, num_hidden_layers=1,
            num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=8192, eos_token_id=0,
            pad_token_id=1, bos_token_id=None,
        )
    )  # fmt: skip
