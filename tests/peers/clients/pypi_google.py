"""Google's SDK for Python over the Gemini API."""

import base64

from google import genai
from google.genai import errors, types
from said import ADDING, QUESTION, ROOT, reply, result_of, tell

CLIENT = genai.Client(api_key="k-1", http_options=types.HttpOptions(base_url=ROOT, api_version="v1beta"))
DECLARED = types.FunctionDeclaration(name="add", description="Adds", parameters_json_schema=ADDING)
TOOLS = types.GenerateContentConfig(
    tools=[types.Tool(function_declarations=[DECLARED])],
    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
)


def content_reply(responses):
    """What several pieces of a stream, or one whole answer, say together."""
    parts = [part for piece in responses for part in piece.candidates[0].content.parts]
    text = "".join(part.text or "" for part in parts if not part.thought)
    calls = [[part.function_call.name, part.function_call.args] for part in parts if part.function_call]
    thoughts = [part.text for part in parts if part.thought]
    signatures = [base64.b64encode(part.thought_signature).decode() for part in parts if part.thought_signature]
    last = responses[-1]
    usage = last.usage_metadata
    counts = usage.prompt_token_count, usage.cached_content_token_count, usage.candidates_token_count
    thought = [thoughts[0], signatures[0]] if thoughts else None
    return reply(text, calls, counts, last.candidates[0].finish_reason.value, thought)


def asked(model="m", config=None):
    return {"model": model, "contents": QUESTION, "config": config}


def sent_back():
    content = models.generate_content(**asked(config=TOOLS)).candidates[0].content
    calls = [part.function_call for part in content.parts if part.function_call]
    results = [
        types.Part.from_function_response(name=call.name, response={"result": result_of(**call.args)}) for call in calls
    ]
    question = types.Content(role="user", parts=[types.Part(text=QUESTION)])
    contents = [question, content, types.Content(role="user", parts=results)]
    return content_reply([models.generate_content(model="m", contents=contents, config=TOOLS)])


def refused():
    try:
        models.generate_content(**asked(model="refused"))
    except errors.ClientError as error:
        return {"status": error.code, "message": str(error)}
    raise SystemExit("nothing was refused")


models = CLIENT.models
tell(
    {
        "gemini": {
            "plain": content_reply([models.generate_content(**asked())]),
            "streamed": content_reply(list(models.generate_content_stream(**asked()))),
            "plain_calls": content_reply([models.generate_content(**asked(config=TOOLS))]),
            "streamed_calls": content_reply(list(models.generate_content_stream(**asked(config=TOOLS)))),
            "sent_back": sent_back(),
            "refused": refused(),
        }
    }
)
