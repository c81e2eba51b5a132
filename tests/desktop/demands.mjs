// What `asking-server.mjs` asks for, by name: each makes method and parameters from words that tell one request from
// another, and from the size of what is large in it.

const elicit = (params) => ["elicitation/create", params];
const schema = (properties) => ({ type: "object", properties });
const prose = (characters) => "All quiet here, nothing to see. \n".repeat(characters / 33 + 1).slice(0, characters);

/** A field of each kind in turn. */
function field(number) {
  const words = { title: `Field ${number}`, description: `What belongs into field ${number}. ${prose(200)}` };
  const choices = Array.from({ length: 6 }, (_, choice) => `choice ${choice}`);
  const kinds = [
    { type: "string" },
    { type: "string", format: "email" },
    { type: "number", minimum: 0 },
    { type: "boolean" },
    { type: "string", enum: choices },
    { type: "array", items: { type: "string", enum: choices } },
  ];
  return [`field_${number}`, { ...words, ...kinds[number % kinds.length] }];
}

export const DEMANDS = {
  form: (words) => elicit({ message: words, requestedSchema: schema({ name: { type: "string", title: "Name" } }) }),
  fields: (words, size) => {
    const fields = Array.from({ length: size }, (_, number) => field(number));
    return elicit({ message: words, requestedSchema: schema(Object.fromEntries(fields)) });
  },
  message: (words, size) =>
    elicit({ message: words + prose(size), requestedSchema: schema({ name: { type: "string" } }) }),
  page: (words, size) =>
    elicit({
      mode: "url",
      message: words,
      url: `https://example.com/?${"a=b&".repeat(size / 4)}`,
      elicitationId: words,
    }),
  sample: (words, size) => {
    const messages = [{ role: "user", content: { type: "text", text: words + prose(size) } }];
    return ["sampling/createMessage", { maxTokens: 100, messages }];
  },
};
