"""OpenAI's SDK for Python over Chat Completions, Responses and Azure's form of the first, checking every answer."""

import json

import openai
from said import ADDING, QUESTION, ROOT, refusal, reply, tell

FUNCTION = {"name": "add", "description": "Adds", "parameters": ADDING}


def chat_reply(completion):
    choice, usage = completion.choices[0], completion.usage
    calls = [[call.function.name, json.loads(call.function.arguments)] for call in choice.message.tool_calls or []]
    counts = usage.prompt_tokens, usage.prompt_tokens_details.cached_tokens, usage.completion_tokens
    return reply(choice.message.content or "", calls, counts, choice.finish_reason)


def chat(client):
    def streamed(**more):
        with completions.stream(**asked, stream_options={"include_usage": True}, **more) as events:
            return chat_reply(events.get_final_completion())

    completions = client.chat.completions
    asked = {"model": "m", "messages": [{"role": "user", "content": QUESTION}]}
    tools = {"tools": [{"type": "function", "function": FUNCTION}]}
    return {
        "plain": chat_reply(completions.create(**asked)),
        "streamed": streamed(),
        "plain_calls": chat_reply(completions.create(**asked, **tools)),
        "streamed_calls": streamed(**tools),
        "refused": refusal(openai.BadRequestError, lambda: completions.create(**{**asked, "model": "refused"})),
    }


def responses_reply(response):
    of_kind = lambda kind: [item for item in response.output if item.type == kind]
    calls = [[call.name, json.loads(call.arguments)] for call in of_kind("function_call")]
    thoughts = [[item.summary[0].text, item.encrypted_content] for item in of_kind("reasoning")]
    usage = response.usage
    counts = usage.input_tokens, usage.input_tokens_details.cached_tokens, usage.output_tokens
    return reply(response.output_text, calls, counts, response.status, thoughts[0] if thoughts else None)


def responses(client):
    def streamed(**more):
        with client.responses.stream(**asked, **more) as events:
            return responses_reply(events.get_final_response())

    create = client.responses.create
    asked = {"model": "m", "input": QUESTION, "store": False}
    tools = {"tools": [{"type": "function", "strict": False, **FUNCTION}]}
    return {
        "plain": responses_reply(create(**asked)),
        "streamed": streamed(),
        "plain_calls": responses_reply(create(**asked, **tools)),
        "streamed_calls": streamed(**tools),
        "refused": refusal(openai.BadRequestError, lambda: create(**{**asked, "model": "refused"})),
    }


STRICT = {"api_key": "k-1", "max_retries": 0, "_strict_response_validation": True}
OPENAI = openai.OpenAI(base_url=f"{ROOT}/v1", **STRICT)
AZURE = openai.AzureOpenAI(azure_endpoint=ROOT, api_version="2024-10-21", **STRICT)
tell({"open_ai_compatible": chat(OPENAI), "open_ai_responses": responses(OPENAI), "azure_open_ai": chat(AZURE)})
