"""OpenAI's SDK for Python over Chat Completions, Responses and Azure's form of the first, checking every answer."""

import json

import openai
from said import ADDING, QUESTION, ROOT, refusal, reply, result_of, tell

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

    def sent_back():
        message = completions.create(**asked, **tools).choices[0].message
        results = [
            {"role": "tool", "tool_call_id": call.id, "content": result_of(**json.loads(call.function.arguments))}
            for call in message.tool_calls
        ]
        messages = [*asked["messages"], message, *results]
        return chat_reply(completions.create(**{**asked, "messages": messages}, **tools))

    completions = client.chat.completions
    asked = {"model": "m", "messages": [{"role": "user", "content": QUESTION}]}
    tools = {"tools": [{"type": "function", "function": FUNCTION}]}
    return {
        "plain": chat_reply(completions.create(**asked)),
        "streamed": streamed(),
        "plain_calls": chat_reply(completions.create(**asked, **tools)),
        "streamed_calls": streamed(**tools),
        "sent_back": sent_back(),
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

    def sent_back():
        response = create(**asked, **tools)
        results = [
            {"type": "function_call_output", "call_id": item.call_id, "output": result_of(**json.loads(item.arguments))}
            for item in response.output
            if item.type == "function_call"
        ]
        history = [{"role": "user", "content": QUESTION}, *response.output, *results]
        return responses_reply(create(**{**asked, "input": history}, **tools))

    create = client.responses.create
    asked = {"model": "m", "input": QUESTION, "store": False}
    tools = {"tools": [{"type": "function", "strict": False, **FUNCTION}]}
    return {
        "plain": responses_reply(create(**asked)),
        "streamed": streamed(),
        "plain_calls": responses_reply(create(**asked, **tools)),
        "streamed_calls": streamed(**tools),
        "sent_back": sent_back(),
        "refused": refusal(openai.BadRequestError, lambda: create(**{**asked, "model": "refused"})),
    }


STRICT = {"api_key": "k-1", "max_retries": 0, "_strict_response_validation": True}
OPENAI = openai.OpenAI(base_url=f"{ROOT}/v1", **STRICT)
AZURE = openai.AzureOpenAI(azure_endpoint=ROOT, api_version="2024-10-21", **STRICT)
tell({"open_ai_compatible": chat(OPENAI), "open_ai_responses": responses(OPENAI), "azure_open_ai": chat(AZURE)})
