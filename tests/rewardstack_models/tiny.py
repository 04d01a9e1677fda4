"""Tiny real models, made from a config and saved like those of the hub, with a tokenizer trained on the spot."""

TEXTS = [
    "The sum of 2 and 2 is 4.", "Let us add the numbers step by step.", "So the answer is 12, since 3 times 4 is 12.",
    "Paris is the capital of France.", "A step is wrong when it does not follow.", "No, that is not right at all.",
] * 4  # fmt: skip
CHAT = (
    "{% for m in messages %}<|start|>{{ m.role }}\n{{ m.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
)
SPECIAL = ["<|pad|>", "<|end|>", "<|start|>", "<extra_0>", "[CLS]", "[SEP]"]


def tokenizer(chat=True, pad="<|end|>", pair=False, **options):
    """Return a byte-level tokenizer trained on a few sentences; by default its pad token is the one that ends a turn."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        TEXTS,
        trainers.BpeTrainer(
            vocab_size=360, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
        ),
    )
    if pair:
        ends = [("[CLS]", made.token_to_id("[CLS]")), ("[SEP]", made.token_to_id("[SEP]"))]
        made.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
        )
        options |= {"sep_token": "[SEP]", "cls_token": "[CLS]"}
    found = PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token="<|end|>", pad_token=pad, model_max_length=256,
        additional_special_tokens=["<|start|>", "<extra_0>"], **options,
    )  # fmt: skip
    if chat:
        found.chat_template = CHAT
    return found


def llama(kind, words, labels=1, spare=0, seed=0, **options):
    """Return a Llama of some ten thousand parameters with the head of a kind: "sequence", "token" or "causal"."""
    import torch
    import transformers

    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=len(words) + spare, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=256, bos_token_id=None,
        eos_token_id=words.eos_token_id, pad_token_id=words.pad_token_id, num_labels=labels,
        initializer_range=0.3, **options,
    )  # fmt: skip
    heads = {
        "sequence": transformers.LlamaForSequenceClassification,
        "token": transformers.LlamaForTokenClassification,
        "causal": transformers.LlamaForCausalLM,
    }
    return heads[kind](config)


def bert(words, labels, seed=0, **options):
    """Return a tiny encoder with a classifier of named labels."""
    import torch
    import transformers

    torch.manual_seed(seed)
    names = dict(enumerate(labels))
    config = transformers.BertConfig(
        vocab_size=len(words), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        max_position_embeddings=128, pad_token_id=words.pad_token_id, id2label=names,
        label2id={name: place for place, name in names.items()}, initializer_range=0.3, **options,
    )  # fmt: skip
    return transformers.BertForSequenceClassification(config)


def save(folder, model, words):
    """Save a model as the hub would hold it, and return its folder as text."""
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    return str(folder)
