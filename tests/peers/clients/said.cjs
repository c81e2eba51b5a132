// How the clients written in JavaScript tell what they were answered: one JSON document, by the name of the wire.
exports.ROOT = process.argv[2];
exports.QUESTION = "Add one.";
exports.ADDING = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };

/** What a call of the tool gives. */
exports.resultOf = ({ a }) => `${a + 1} harbours`;

/** One reply; `usage` is what was read, what of that came from a cache, and what was written. */
exports.reply = (text, calls, usage, ended, thought = null) => ({ text, calls, usage, ended, thought });

/** The status and message with which a call is refused. `statusOf` finds the status in the SDK's error. */
exports.refusal = async (call, statusOf = (error) => error.status) => {
  try {
    await call();
  } catch (error) {
    return { status: statusOf(error), message: error.message };
  }
  throw new Error("nothing was refused");
};

/** Everything of an asynchronous iterator. */
exports.all = async (items) => {
  const found = [];
  for await (const item of items) found.push(item);
  return found;
};

exports.tell = (replies) => console.log(JSON.stringify(replies));
