"""Who makes a model, by how its name begins."""

from __future__ import annotations

_MAKERS = {
    "claude": "anthropic",
    "gpt": "openai",
    "chatgpt": "openai",
    "codex": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
    "gemini": "google",
    "grok": "xai",
    "mistral": "mistral",
    "deepseek": "deepseek",
    "qwen": "alibaba",
}


def with_maker(model: str) -> str:
    """The model's name behind its maker's, ``maker/model``; as it is where no maker is known or it names one."""
    if "/" in model:
        return model
    maker = next((maker for head, maker in _MAKERS.items() if model.lower().startswith(head)), "")
    return f"{maker}/{model}" if maker else model
