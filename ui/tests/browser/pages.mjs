// Every page the tests look at: the scene of the fake host, and how to get from there to the view.

const click = (selector) => (page) => page.locator(selector).first().click();
const shown = (selector) => (page) => page.locator(selector).first().waitFor();
const focused = (selector) => (page) => page.locator(selector).first().focus();
const press = (key) => (page) => page.keyboard.press(key);
const tab = (number) => (page) => page.locator("[role=tab]").nth(number).click();
const server = (number) => (page) => page.locator("[data-testid=server-row]").nth(number).click();
const lost = click("[data-testid=server-row][data-state=reopening]");

/** Has a server fail with this diagnosis. */
const failing = (id, problem, diagnosis) => (page) =>
  page.evaluate(
    ([server, because, found]) => {
      const { fake } = globalThis;
      fake.putServer({ ...fake.serverOf(server), state: { state: "failed", problem: because }, diagnosis: found });
    },
    [id, problem, diagnosis],
  );
const dockerDown = failing(
  "s-deploy",
  {
    problem: "server_ended",
    exit: "exit code 125",
    stderr: ["docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock."],
  },
  { cause: { cause: "docker_not_running" }, step: { step: "guide", guide: { guide: "docker_start" } } },
);
const nothingAtPath = failing(
  "s-wiki",
  { problem: "server_refused", origin: "https://wiki.example.org", status: 404, detail: "", said: "Not Found" },
  {
    cause: { cause: "nothing_at_path", path: "/sse" },
    step: {
      step: "edit",
      part: "address",
      corrections: [{ set: "address", url: "https://wiki.example.org/mcp/v2" }],
    },
  },
);
/** The variables that the form asks for are set on this computer. */
const proxyInTheWay = failing(
  "s-deploy",
  { problem: "server_ended", exit: "exit code 1", stderr: ["npm error code E407"] },
  {
    cause: { cause: "proxy_in_the_way" },
    step: {
      step: "edit",
      part: "variables",
      corrections: ["HTTPS_PROXY", "HTTP_PROXY"].map((name) => ({ set: "variable", name, value: "" })),
    },
  },
);
/** Downloads another version of the package of a server. */
const updating = (page) =>
  page.evaluate(() => {
    const { fake } = globalThis;
    const server = fake.serverOf("s-weather");
    fake.putServer({ ...server, package: { ...server.package, update: { arrived: 3, total: 12 } } });
  });
const chat = (number) => (page) => page.locator("[data-chat]").nth(number).click();
const inTurn =
  (...steps) =>
  async (page) => {
    for (const step of steps) await step(page);
  };

/** Opens a chat with many entries. */
const longChat = async (page) => {
  await page.evaluate(() => globalThis.fake.addLongChat("long", 600));
  await page.locator("[data-chat=long]").click();
  await page.locator("[data-entry=long-599]").waitFor({ state: "attached" });
};

/** Says something in a temporary chat. */
const temporaryChat = async (page) => {
  await page.getByTestId("new-temporary").click();
  await page.getByTestId("temporary-chat").waitFor();
  await page.getByTestId("composer").fill("Plan a surprise for Kari");
  await page.keyboard.press("Enter");
  await page.locator("[data-testid=entry-assistant][data-state=done]").waitFor();
};

const settingsOfData = inTurn(click("[data-testid=to-settings]"), click("[data-testid=settings-data]"));

const FORMULAS = `The area is $\\pi r^2$, and \\(a \\le b\\) costs $5 or $10 at 价格是 $100 到 $200.

$$
\\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2}
$$

- item $n$ of $\\sum_{i=1}^{n} i$
- plain words

| Case | Value |
|---|--:|
| first | $\\frac{1}{2}$ |
| second | 12 |

\\[
\\begin{aligned} f(x) &= x^2 + 2x + 1 \\\\ &= (x + 1)^2 \\end{aligned}
\\]

\\[ A = \\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}, \\quad |x| = \\begin{cases} x & x \\ge 0 \\\\ -x & x < 0 \\end{cases} \\]

This one is none: $\\nothing{x$.`;
/** An answer with mathematics in it. */
const formulas = async (page) => {
  await page.evaluate((text) => {
    const body = { kind: "assistant", text, reasoning: "", model: "m", scripted: false, state: "done" };
    const entry = { id: "formulas", chat: "oslo", position: 1_000, at_ms: Date.now(), body };
    globalThis.fake.tell({ event: "entry", entry, added: true });
  }, FORMULAS);
  await page.getByTestId("formula").nth(6).waitFor();
};

/** An answer with a list of many items, some of them of more than words. */
const longList = async (page) => {
  await page.evaluate(() => {
    const item = (at) => (at % 3 ? `Item ${at}\n` : `Item **${at}** with \`code\`\n`);
    const text = Array.from({ length: 160 }, (_, at) => `${at + 1}. ${item(at)}`).join("");
    const body = { kind: "assistant", text, reasoning: "", model: "m", scripted: false, state: "done" };
    const entry = { id: "long-list", chat: "oslo", position: 1_000, at_ms: Date.now(), body };
    globalThis.fake.tell({ event: "entry", entry, added: true });
  });
  await page.locator('[data-entry="long-list"]').getByText("Item 158").waitFor();
};

/** An answer with footnotes. */
const footnotes = async (page) => {
  await page.evaluate(() => {
    const text = "The harbour is old.[^1] The tram is not.[^tram]\n\n[^1]: Built in 1300.\n[^tram]: Since **1894**.";
    const body = { kind: "assistant", text, reasoning: "", model: "m", scripted: false, state: "done" };
    const entry = { id: "footnotes", chat: "oslo", position: 1_000, at_ms: Date.now(), body };
    globalThis.fake.tell({ event: "entry", entry, added: true });
  });
  await page.getByTestId("footnotes").waitFor();
};

/** What a model found among many tools, and a search without words. */
const searched = async (page) => {
  await page.evaluate(() => {
    const search = (id, position, query, outcome, words) => {
      const body = { kind: "built_in_call", call: id, tool: "find_tools", arguments: { query }, outcome, words };
      const entry = { id, chat: "oslo", position, at_ms: Date.now(), body };
      globalThis.fake.tell({ event: "entry", entry, added: true });
    };
    const found = (server, server_name, tool) => ({ server, server_name, tool });
    const tools = [found("s-weather", "weather", "get_forecast"), found("s-notes", "notes", "append_to_note")];
    search("search-1", 1_000, "forecast for the coming days", { end: "found", tools }, "");
    search("search-2", 1_001, "", { end: "refused" }, "The search has no words.");
    const text = "4321: 12:04:09 disk of backup-2 is full\n4399: 12:05:11 disk of backup-2 is full";
    const outcome = { end: "read", server: "s-files", server_name: "files", tool: "read_log", text };
    const words = "[2 lines with these words, of 90000 lines, from line 1]";
    const body = { kind: "built_in_call", call: "read-1", tool: "read_result", arguments: {}, outcome, words };
    globalThis.fake.tell({
      event: "entry",
      entry: { id: "read-1", chat: "oslo", position: 1_002, at_ms: Date.now(), body },
      added: true,
    });
  });
  await page.getByTestId("built-in-row").nth(2).waitFor();
  for (const at of [0, 2]) await page.getByTestId("built-in-row").nth(at).getByRole("button").click();
};

/** A chat with all that a compaction can come to, the last ones opened. */
const compacted = async (page) => {
  await chat(4)(page);
  await page.evaluate(() => {
    const put = (id, body) => globalThis.fake.putEntry("zh", { kind: "compaction", ...body }, id);
    const text =
      "The user plans a trip to **Oslo** with two children.\n\n- Hotel near the harbour, booked for 4 nights\n- Still open: a day at the museum, and the train to Bergen";
    const usage = { input: 6240, output: 410, cached: 0, cost: 12_300, currency: "USD" };
    const numbers = { up_to: "e-1", before_tokens: 6554, after_tokens: 2310, edited: false };
    put("shortened", { state: "shortened", why: { reason: "failed", problem: { problem: "model_cut" } } });
    put("empty", { state: "shortened", why: { reason: "empty" } });
    put("earlier", { state: "summarized", summary: text, used: true, ...numbers });
    put("newest", { state: "summarized", summary: text, used: true, usage, ...numbers, edited: true });
    put("undone", { state: "summarized", summary: text, used: false, ...numbers });
    put("stopped", { state: "stopped" });
    put("running", { state: "running" });
  });
  await page.locator("[data-testid=entry-compaction][data-state=running]").waitFor();
  for (const at of [0, 1, 2, 3, 4])
    await page.getByTestId("entry-compaction").nth(at).getByRole("button").first().click();
};
/** A summary that is changed. */
const summaryEdited = inTurn(compacted, click("[data-testid=summary-edit]"), shown("[data-testid=edit-message]"));

/** A long result that waits for the user's choice. */
const longResult = (fits) => async (page) => {
  await chat(1)(page);
  await page.evaluate((room) => {
    const { body } = globalThis.fake.entries.get("invoices").find((entry) => entry.body.state === "answered");
    const content = [{ type: "text", text: "2026-07-02 GET /invoices 200\n".repeat(3_000) }];
    const choice = { choice: "asked", tokens: 27_000, fits: room };
    const result = { ...body.result, content, structured: null, misfits: [], cut_bytes: 0, choice };
    globalThis.fake.changeChat("invoices", { busy: true });
    globalThis.fake.putEntry("invoices", { ...body, result }, "long");
  }, fits);
  await page.getByTestId("result-choice").waitFor();
};

/** The profiles of a chat, one of which is chosen. */
const profiles = async (page) => {
  await chat(0)(page);
  await page.evaluate(() => {
    const ids = globalThis.fake.servers.map(({ id }) => id);
    globalThis.fake.profiles = [
      { name: "Travel", servers: ids, tools_off: [{ server: ids[0], tool: "a" }] },
      { name: "只读：笔记与文件", servers: ids.slice(0, 2), tools_off: [] },
    ];
    globalThis.fake.tell({ event: "profiles", profiles: globalThis.fake.profiles });
    globalThis.fake.changeChat("oslo", { servers_only: ids.slice(0, 2) });
  });
  await page.locator("button.tool-switch").click();
  await page.locator("[role=menuitem]").last().click();
  await page.getByTestId("profiles").locator("input:checked").waitFor();
  await page.getByTestId("profiles").locator("form input").fill("travel");
};

/** Sends the message of a chat once more with another text. */
const edited = async (page) => {
  await page.getByTestId("edit").first().focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("End");
  await page.keyboard.type(" And for a week?");
  await page.keyboard.press("Enter");
  await page.locator("[data-testid=entry-assistant][data-state=done]").waitFor();
  await page.getByTestId("send").waitFor();
};
/** Has messages wait in the chat at work. */
const queued = (page) =>
  page.evaluate(() => {
    const long = "Then compare it with the list of last year, and say what is missing in either of them, please.";
    const queue = [
      { id: "q-1", text: "Is there a laundry near the hotel?", attachments: 0 },
      { id: "q-2", text: long, attachments: 2 },
    ];
    globalThis.fake.changeChat("oslo", { queue });
  });
/** Puts chats away and shows them. */
const stored = async (page) => {
  await page.evaluate(() => {
    const moved = Date.UTC(2026, 10, 19);
    globalThis.fake.changeChat("invoices", { pinned: true });
    globalThis.fake.changeChat("release", { archived: true });
    globalThis.fake.changeChat("hostile", { trashed_ms: moved });
    globalThis.fake.changeChat("zh", { trashed_ms: moved });
  });
  await page.getByTestId("to-stored").click();
};
/** Searches in all chats. */
const findAll = (words) => async (page) => {
  await page.keyboard.press("Control+Shift+F");
  await page.getByTestId("find-sheet-search").fill(words);
};
/** Finds words in the palette and goes to the first place with them. */
const search = (words) => async (page) => {
  await page.keyboard.press("Control+k");
  await page.keyboard.type(words);
  await page.getByRole("option", { name: words }).first().click();
};

/** Finds words in the chat that is shown. */
const find = (words) => async (page) => {
  await page.keyboard.press("Control+f");
  await page.getByTestId("find-field").fill(words);
  await page.locator("[data-testid=find-where]:not(:empty)").waitFor();
};

const waitingChange = async (page) => {
  await page.getByTestId("workspace-picker").selectOption({ index: 1 });
  await page.locator("[data-testid=change]").waitFor();
};

const CONFIGURATION = JSON.stringify({
  mcpServers: {
    papers: {
      command: "npx",
      args: ["-y", "papers@1.0.0", "/home/ada"],
      env: { NODE_OPTIONS: "--import data:text/javascript,steal()", PAPERS_TOKEN: "0123456789" },
    },
    far: { url: "https://mcp.example.org", headers: { "X-Key": "0123456789" } },
  },
});

/** What other applications write that is asked for, left out or replaced here. */
const UNFINISHED = JSON.stringify({
  mcpServers: {
    papers: {
      command: "npx",
      args: ["-y", "papers@1.0.0", "${FOLDER}", "--region=${REGION}"],
      env: { PAPERS_TOKEN: "${PAPERS_TOKEN}", LEVEL: "info" },
      autoApprove: ["delete"],
      envFile: ".env",
    },
    tickets: { command: "npx", args: ["mcp-remote", "https://tickets.example.com/sse"] },
    team: { url: "https://mcp.example.org/mcp", headers: { Authorization: "Bearer ${KEY}" }, disabled: true },
    notes: { command: "notes" },
    developer: {},
  },
  sandbox: {},
});

/** Opens a server that is connected and did not list its tools. */
const notListed = async (page) => {
  await page.evaluate(() => {
    const { fake } = globalThis;
    const listing_problem = { problem: "tools_not_listed", detail: "fetch failed" };
    fake.putServer({ ...fake.serverOf("s-weather"), listing_problem, tool_count: 0 });
  });
  await server(0)(page);
  await page.getByTestId("not-listed").waitFor();
};

/** Opens a server whose start a rule denied. */
const deniedStart = async (page) => {
  await page.evaluate(() => {
    const { fake } = globalThis;
    fake.putServer({ ...fake.serverOf("s-notes"), state: { state: "not_started", why: "by_rule" }, tool_count: 0 });
  });
  await page.locator("[data-testid=server-row][data-state=not_started]").click();
};

/** Pastes a text that is too long for the message field. */
const longPaste = async (page) => {
  await page.getByTestId("composer").evaluate((field) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", "The tram leaves at nine.\n".repeat(40_000));
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  });
  await page.locator(".composer [data-testid=attachment]").waitFor();
};

/** Opens a server of which not all tools are taken. */
const leftOut = async (page) => {
  await page.evaluate(() => {
    const { fake } = globalThis;
    const listing_problem = { problem: "tools_left_out", kept: 512 };
    fake.putServer({ ...fake.serverOf("s-notes"), listing_problem, tool_count: 512 });
  });
  await server(1)(page);
  await page.getByTestId("not-listed").waitFor();
};

/** Has the configurations of other applications read. */
const foundServers = inTurn(
  click("[data-testid=add-server]"),
  tab(2),
  click("[data-testid=look-on-computer]"),
  shown("[data-testid=found-file]"),
);

/** Searches in the registry for these words. */
const gallery = (words) =>
  inTurn(
    click("[data-testid=add-server]"),
    tab(3),
    (page) => page.getByTestId("gallery-words").fill(words),
    click("[data-testid=gallery-search]"),
  );

/** The views of the main window. */
/** Opens a call with a text, a picture and a sound that are kept beside its entry, and all of the text. */
const storedParts = async (page) => {
  await page.locator("[data-chat=invoices]").click();
  await page.evaluate(() => {
    const { fake } = globalThis;
    const lines = Array.from({ length: 500 }, (_, line) => `line ${line + 1} of a long log`);
    const text = { sha256: "0".repeat(64), pieces: 92, lines: 45_000, beginning: lines.join("\n"), end: "" };
    const part = (number, form, bytes) => ({ ...text, number, form, bytes });
    const media = { pieces: 2, lines: 0, beginning: "" };
    const parts = [
      part(0, { form: "text" }, 3_000_000),
      { ...part(1, { form: "image", mime: "image/png" }, 1_500_000), ...media },
      { ...part(2, { form: "audio", mime: "audio/wav" }, 900_000), ...media },
    ];
    const { body } = fake.entries.get("invoices").find((entry) => entry.body.state === "answered");
    const content = parts.map((one) => ({ type: "stored", part: one }));
    const result = { ...body.result, content, structured: null, misfits: [], cut_bytes: 0 };
    fake.putEntry("invoices", { ...body, result }, "stored");
  });
  const row = page.locator("[data-entry=stored]");
  await row.locator(".head").click();
  await row.locator("button[aria-expanded=false]").last().click();
  await row.locator("[data-piece]").first().waitFor();
};

export const MAIN_VIEWS = [
  { name: "a chat at work", scene: "chat" },
  { name: "the first start", scene: "first" },
  {
    name: "results and failures",
    scene: "chat",
    go: inTurn(chat(1), click("[data-testid=call-group] button"), click("[data-testid=call-row] .head")),
  },
  {
    name: "an entry that cannot be drawn",
    scene: "chat",
    go: inTurn(
      (page) =>
        page.evaluate(() => globalThis.fake.putEntry("oslo", { kind: "user", text: "Hello", attachments: null })),
      shown("[data-testid=not-drawn]"),
    ),
  },
  { name: "mathematics", scene: "chat", go: formulas },
  { name: "footnotes", scene: "chat", go: footnotes },
  { name: "a long list", scene: "chat", go: longList },
  { name: "searched tools", scene: "chat", go: searched },
  { name: "a chat that was compacted", scene: "chat", go: compacted },
  { name: "a long result that waits", scene: "chat", go: longResult(true) },
  { name: "a long result without room", scene: "chat", go: longResult(false) },
  { name: "parts kept beside their entry", scene: "chat", go: storedParts },
  { name: "profiles of tools", scene: "chat", go: profiles },
  { name: "a summary being changed", scene: "chat", go: summaryEdited },
  { name: "the end of a long chat", scene: "chat", go: longChat },
  {
    name: "the middle of a long chat",
    scene: "chat",
    go: inTurn(longChat, search("Message 300"), shown("[data-testid=later]")),
  },
  { name: "finding in a chat", scene: "chat", go: find("oslo") },
  { name: "finding nothing in a chat", scene: "chat", go: find("no such words") },
  { name: "hostile markdown", scene: "chat", go: inTurn(chat(3), click(".inert button")) },
  { name: "a scripted answer", scene: "chat", go: chat(4) },
  {
    name: "editing a message",
    scene: "chat",
    go: inTurn(chat(4), focused("[data-testid=edit]"), press("Enter"), shown("[data-testid=edit-message]")),
  },
  { name: "a message with versions", scene: "chat", go: inTurn(chat(4), edited, focused("[data-testid=edit]")) },
  {
    name: "deleting a message",
    scene: "chat",
    go: inTurn(chat(4), focused("[data-testid=delete-message]"), press("Enter"), shown("[role=group] .danger")),
  },
  { name: "messages that wait", scene: "chat", go: inTurn(queued, shown("[data-testid=queue]")) },
  {
    name: "editing a message that waits",
    scene: "chat",
    go: inTurn(queued, click("[data-testid=queue] .icon-button"), shown("[data-testid=edit-message]")),
  },
  {
    name: "asking for another answer",
    scene: "chat",
    go: inTurn(chat(4), click("[data-testid=regenerate] button"), shown("[role=menu]")),
  },
  { name: "the model menu", scene: "chat", go: click(".model-pill") },
  { name: "the settings of a chat", scene: "chat", go: click("[data-testid=chat-settings]") },
  { name: "renaming a chat", scene: "chat", go: inTurn(chat(1), press("F2"), shown("[data-testid=chat-row] input")) },
  {
    name: "a chat moved to the trash",
    scene: "chat",
    go: inTurn(focused("[data-chat=invoices]"), press("Delete"), shown("[data-testid=chat-trashed]")),
  },
  { name: "archive and trash", scene: "chat", go: inTurn(stored, shown("[data-testid=trash] li")) },
  {
    name: "deleting a chat for ever",
    scene: "chat",
    go: inTurn(stored, click("[data-testid=delete-chat-ask]"), shown("[data-testid=delete-chat]")),
  },
  {
    name: "emptying the trash",
    scene: "chat",
    go: inTurn(stored, click("[data-testid=trash-empty-ask]"), shown("[data-testid=trash-empty]")),
  },
  {
    name: "a search over all chats",
    scene: "chat",
    go: inTurn(press("Control+Shift+F"), shown("[data-testid=find-sheet]")),
  },
  { name: "words found in all chats", scene: "chat", go: inTurn(findAll("the"), shown("[data-testid=find-hit] mark")) },
  { name: "all servers", scene: "chat", go: click("#servers-heading button") },
  { name: "a long list of tools", scene: "crowded", go: server(1) },
  { name: "tools of a server", scene: "chat", go: server(1) },
  { name: "about a server", scene: "chat", go: inTurn(server(2), tab(1)) },
  {
    name: "about a server with a downloaded package",
    scene: "chat",
    go: inTurn(server(0), tab(1), shown("[data-testid=package]")),
  },
  { name: "the log of a server", scene: "chat", go: inTurn(server(1), tab(3)) },
  {
    name: "tools of a stopped server",
    scene: "chat",
    go: inTurn(server(1), (page) => page.getByTestId("start-stop").last().click(), shown("[data-testid=tools-as-of]")),
  },
  {
    name: "after stop everything",
    scene: "chat",
    go: inTurn(click("[data-testid=stop-everything]"), shown("[data-testid=start-again]")),
  },
  { name: "what a server offers besides tools", scene: "chat", go: inTurn(server(1), tab(2)) },
  { name: "picking from a server", scene: "chat", go: click("[data-testid=add]") },
  {
    name: "a resource before it is attached",
    scene: "chat",
    go: inTurn(click("[data-testid=add]"), click(".offer >> nth=1"), (page) => page.getByTestId("attach").waitFor()),
  },
  {
    name: "an attached resource",
    scene: "chat",
    go: inTurn(
      click("[data-testid=add]"),
      click(".offer >> nth=1"),
      click("[data-testid=attach]"),
      click("[data-testid=attachment] .what"),
    ),
  },
  {
    name: "attached files",
    scene: "chat",
    go: inTurn(click("[data-testid=attach-files]"), (page) => page.getByTestId("attachment").nth(1).waitFor()),
  },
  {
    name: "an attached text, whole",
    scene: "chat",
    go: inTurn(
      click("[data-testid=attach-files]"),
      click("[data-testid=attachment] .what"),
      shown("[data-testid=file-sheet]"),
    ),
  },
  {
    name: "an attached picture, whole",
    scene: "chat",
    go: inTurn(
      click("[data-testid=attach-files]"),
      (page) => page.getByTestId("attachment").nth(1).locator(".what").click(),
      shown("[data-testid=picture-sheet] img"),
    ),
  },
  {
    name: "a picture of a result in full size",
    scene: "chat",
    go: inTurn(
      chat(1),
      click("[data-testid=call-group] button"),
      click("[data-testid=call-row] .head"),
      click("[data-testid=open-picture]"),
      shown("[data-testid=picture-sheet] img"),
    ),
  },
  {
    name: "a picture that was saved",
    scene: "chat",
    go: inTurn(
      click("[data-testid=attach-files]"),
      (page) => page.getByTestId("attachment").nth(1).locator(".what").click(),
      click("[data-testid=picture-actual]"),
      click("[data-testid=save-picture]"),
      shown("[data-testid=picture-saved] .exact"),
    ),
  },
  {
    name: "a picture that could not be saved",
    scene: "chat",
    go: inTurn(
      click("[data-testid=attach-files]"),
      (page) => page.getByTestId("attachment").nth(1).locator(".what").click(),
      (page) =>
        page.evaluate(() => {
          const detail = "No space left on device (os error 28)";
          globalThis.fake.saveProblem = { problem: "not_exported", path: "/home/ada/harbour.png", detail };
        }),
      click("[data-testid=save-picture]"),
      shown("[data-testid=picture-sheet] [role=alert]"),
    ),
  },
  {
    name: "files over the window",
    scene: "chat",
    go: inTurn(
      (page) => page.evaluate(() => globalThis.fake.tell({ event: "files_dragged", now: "over" })),
      shown("[data-testid=drop-hint]"),
    ),
  },
  {
    name: "what was dropped and is refused",
    scene: "chat",
    go: inTurn(
      (page) => page.evaluate(() => globalThis.fake.tell({ event: "files_dragged", now: "dropped" })),
      shown("[data-testid=dropped-folder]"),
    ),
  },
  {
    name: "filling in a prompt",
    scene: "chat",
    go: inTurn(click("[data-testid=add]"), click(".offer"), (page) => page.locator("[role=option]").first().waitFor()),
  },
  { name: "a server that failed", scene: "chat", go: server(4) },
  { name: "a start that a rule denied", scene: "chat", go: deniedStart },
  {
    name: "what a server that failed said",
    scene: "chat",
    go: inTurn(
      server(4),
      click("[data-testid=diagnosis] .disclosure button"),
      shown("[data-testid=diagnosis] .quoted"),
    ),
  },
  {
    name: "a failure with a guide",
    scene: "chat",
    go: inTurn(dockerDown, server(4), click("[data-testid=next-step]"), shown("[data-testid=guide]")),
  },
  {
    name: "a failure whose form is corrected",
    scene: "chat",
    go: inTurn(nothingAtPath, server(6), click("[data-testid=next-step]"), shown("[data-testid=form-changes]")),
  },
  {
    name: "a failure whose form takes over the proxy of this computer",
    scene: "chat",
    go: inTurn(proxyInTheWay, server(4), click("[data-testid=next-step]"), shown("[data-testid=form-changes]")),
  },
  {
    name: "another version of a package on its way",
    scene: "chat",
    go: inTurn(updating, server(0), tab(1), shown("[data-testid=stop-update]")),
  },
  {
    name: "failures in the list of servers",
    scene: "chat",
    go: inTurn(dockerDown, nothingAtPath, click("#servers-heading button"), shown("[data-testid=row-step]")),
  },
  { name: "a server that needs values", scene: "chat", go: server(3) },
  { name: "a server that wants a sign in", scene: "chat", go: server(6) },
  {
    name: "what a signed in server holds",
    scene: "chat",
    go: inTurn(
      server(7),
      tab(1),
      click("[data-testid=sign-in-settings] .disclosure button"),
      shown("[data-testid=sign-in-settings] form"),
    ),
  },
  {
    name: "changing a server",
    scene: "chat",
    go: inTurn(server(1), click("[data-testid=edit-server]"), shown("form")),
  },
  {
    name: "changing the program of a server",
    scene: "chat",
    go: inTurn(
      server(1),
      click("[data-testid=edit-server]"),
      (page) => page.locator("form fieldset input").nth(1).fill("@acme/notes-mcp@2.0.0"),
      shown("[data-testid=edit-effects]"),
    ),
  },
  {
    name: "changing the address of a server",
    scene: "chat",
    go: inTurn(
      lost,
      click("[data-testid=edit-server]"),
      (page) => page.locator("input[inputmode=url]").fill("https://mcp.elsewhere.example/mcp"),
      shown("[data-testid=edit-effects]"),
    ),
  },
  {
    name: "a copy of a server",
    scene: "chat",
    go: inTurn(server(1), click("[data-testid=duplicate-server]"), shown("form")),
  },
  { name: "adding a server", scene: "chat", go: inTurn(click("[data-testid=add-server]"), tab(1)) },
  {
    name: "adding a server at an address",
    scene: "chat",
    go: inTurn(click("[data-testid=add-server]"), tab(1), click("[data-testid=place-address]"), (page) =>
      page.locator("input[inputmode=url]").waitFor(),
    ),
  },
  {
    name: "a server that is waited for",
    scene: "chat",
    go: inTurn(lost, (page) => page.getByTestId("countdown").waitFor()),
  },
  { name: "about a server at an address", scene: "chat", go: inTurn(lost, tab(1)) },
  { name: "a server whose tools could not be listed", scene: "chat", go: notListed },
  { name: "a long pasted text", scene: "chat", go: longPaste },
  { name: "a server of which not all tools are taken", scene: "chat", go: leftOut },
  {
    name: "the log of a server being searched",
    scene: "chat",
    go: inTurn(server(1), tab(3), (page) => page.getByTestId("log-search").fill("a"), shown("[data-testid=log-found]")),
  },
  {
    name: "moving a server in the list",
    scene: "chat",
    go: inTurn(
      (page) => page.getByRole("button", { name: /^(Servers|服务器)$/ }).click(),
      click(".move-server"),
      shown("[role=menu]"),
    ),
  },
  {
    name: "the traffic of a server",
    scene: "chat",
    go: inTurn(server(1), tab(4), click("[role=tabpanel] button"), click("[data-testid=traffic] summary")),
  },
  {
    name: "pasting servers",
    scene: "chat",
    go: inTurn(click("[data-testid=add-server]"), (page) =>
      page
        .getByTestId("paste-json")
        .fill(CONFIGURATION)
        .then(() => page.locator(".paste li").first().waitFor()),
    ),
  },
  {
    name: "pasting servers that need values",
    scene: "chat",
    go: inTurn(click("[data-testid=add-server]"), (page) =>
      page
        .getByTestId("paste-json")
        .fill(UNFINISHED)
        .then(() => page.getByTestId("fills").first().waitFor()),
    ),
  },
  {
    name: "pasting what is broken",
    scene: "chat",
    go: inTurn(click("[data-testid=add-server]"), (page) =>
      page
        .getByTestId("paste-json")
        .fill("{\n oops")
        .then(() => page.locator("[role=alert]").first().waitFor()),
    ),
  },
  {
    name: "a bundle before it is unpacked",
    scene: "chat",
    go: inTurn(
      click("[data-testid=add-server]"),
      click("[data-testid=bundle-choose]"),
      shown("[data-testid=bundle-preview]"),
    ),
  },
  {
    name: "before looking for servers on this computer",
    scene: "chat",
    go: inTurn(click("[data-testid=add-server]"), tab(2), shown("[data-testid=look-on-computer]")),
  },
  { name: "servers found on this computer", scene: "chat", go: foundServers },
  {
    name: "a found server getting another name",
    scene: "chat",
    go: inTurn(
      foundServers,
      (page) => page.getByRole("checkbox", { name: "notes" }).check(),
      shown("[data-testid=name-taken]"),
    ),
  },
  {
    name: "before a registry is asked",
    scene: "chat",
    go: inTurn(click("[data-testid=add-server]"), tab(3), shown("[data-testid=gallery-asks]")),
  },
  { name: "servers of a registry", scene: "chat", go: inTurn(gallery(""), shown("[data-testid=gallery-entry]")) },
  {
    name: "a server of a registry",
    scene: "chat",
    go: inTurn(gallery("notes"), click("[data-testid=gallery-entry]"), shown("[data-testid=gallery-choice]")),
  },
  {
    name: "a deprecated entry of a registry",
    scene: "chat",
    go: inTurn(gallery("calendar"), click("[data-testid=gallery-entry]"), shown("[data-testid=gallery-choice]")),
  },
  { name: "a registry that answers with an error", scene: "chat", go: inTurn(gallery("down"), shown("[role=alert]")) },
  { name: "workspaces", scene: "chat", go: click("[data-testid=workspaces-row]") },
  {
    name: "a workspace getting another name",
    scene: "chat",
    go: inTurn(
      click("[data-testid=workspaces-row]"),
      click("[data-testid=workspace] [aria-expanded]"),
      shown("[data-testid=workspace-rename]"),
    ),
  },
  { name: "rules", scene: "chat", go: inTurn(click("[data-testid=to-rules]"), shown("[data-testid=rule]")) },
  {
    name: "a rule being changed and tried",
    scene: "chat",
    go: inTurn(
      click("[data-testid=to-rules]"),
      click("[data-testid=rule-edit]"),
      click("[data-testid=rule-try]"),
      shown("[data-testid=trial]"),
    ),
  },
  {
    name: "rules carried in a file",
    scene: "chat",
    go: inTurn(click("[data-testid=to-rules]"), click("[data-testid=carry-rules]")),
  },
  {
    name: "the ledger",
    scene: "chat",
    go: inTurn(click("[data-testid=to-ledger]"), click("[data-testid=record] button")),
  },
  {
    name: "a checked ledger",
    scene: "chat",
    go: inTurn(
      click("[data-testid=to-ledger]"),
      click("[data-testid=ledger-verify]"),
      shown("[data-testid=ledger-found]"),
    ),
  },
  {
    name: "what a server could have seen",
    scene: "chat",
    go: inTurn(
      click("[data-testid=to-ledger]"),
      (page) => page.getByTestId("ledger-server").selectOption("s-notes"),
      click("[data-testid=ledger-seen] .disclosure button"),
      shown("[data-testid=seen-name]"),
    ),
  },
  {
    name: "deleting what the ledger knows of a removed server",
    scene: "chat",
    go: inTurn(
      click("[data-testid=to-ledger]"),
      (page) => page.getByTestId("ledger-server").selectOption("s-gone"),
      click("[data-testid=forget-ask-open]"),
      shown("[data-testid=forget-ask]"),
    ),
  },
  { name: "a ledger that was edited", scene: "edited" },
  {
    name: "what another program changed",
    scene: "outside",
    go: inTurn(click("[data-testid=to-rules]"), shown("[data-testid=row-finding]")),
  },
  { name: "a change that waits for an answer", scene: "asking", go: waitingChange },
  { name: "a ledger that is older than it was", scene: "rollback", go: click("[data-testid=to-ledger]") },
  { name: "settings", scene: "memory", go: click("[data-testid=to-settings]") },
  ...["servers", "look", "notifications", "limits", "data", "shortcuts", "about"].map((section) => ({
    name: `settings of ${section}`,
    scene: "memory",
    go: inTurn(click("[data-testid=to-settings]"), click(`[data-testid=settings-${section}]`)),
  })),
  {
    name: "a backup that was written",
    scene: "chat",
    go: inTurn(settingsOfData, click("[data-testid=backup-write]"), shown("[data-testid=backups] [role=status]")),
  },
  {
    name: "a backup, before it is restored",
    scene: "chat",
    go: inTurn(settingsOfData, click("[data-testid=backup-choose]"), shown("[data-testid=backup-preview]")),
  },
  {
    name: "chats in a file, before they are imported",
    scene: "chat",
    go: inTurn(settingsOfData, click("[data-testid=chats-import-choose]"), shown("[data-testid=chat-import]")),
  },
  {
    name: "exported chats",
    scene: "chat",
    go: inTurn(
      settingsOfData,
      click("[data-testid=chats-export-json]"),
      shown("[data-testid=chat-files] [role=status]"),
    ),
  },
  {
    name: "an imported chat",
    scene: "chat",
    go: inTurn(
      settingsOfData,
      click("[data-testid=chats-import-choose]"),
      click("[data-testid=chats-import]"),
      shown("[data-testid=imported-chat]"),
      click("[data-testid=call-row] .head"),
    ),
  },
  { name: "a temporary chat", scene: "chat", go: temporaryChat },
  {
    name: "closing a temporary chat",
    scene: "chat",
    go: inTurn(temporaryChat, click("[data-testid=close-temporary]"), shown("[data-testid=close-temporary-yes]")),
  },
  {
    name: "files that an earlier run left",
    scene: "chat",
    go: inTurn(
      (page) => page.evaluate(() => globalThis.fake.leaveFiles("invoices")),
      chat(1),
      shown(".composer .chip"),
    ),
  },
  {
    name: "the text of a PDF",
    scene: "chat",
    go: inTurn(
      (page) => page.evaluate(() => globalThis.fake.leaveFiles("invoices")),
      chat(1),
      click(".composer .chip >> nth=1 >> .what"),
      shown("[data-testid=file-sheet]"),
    ),
  },
  {
    name: "the palette",
    scene: "chat",
    go: inTurn(
      click("[data-testid=to-palette]"),
      (page) => page.getByTestId("palette-search").fill("o"),
      shown("[data-group=messages]"),
    ),
  },
  {
    name: "the meter of a chat",
    scene: "chat",
    go: inTurn(click("[data-testid=meter]"), shown("[data-testid=meter-parts]")),
  },
  { name: "the tools of a chat", scene: "chat", go: click(".tool-switch") },
  {
    name: "single tools of a chat",
    scene: "chat",
    go: inTurn(
      click(".tool-switch"),
      click("[role=menu] .item:nth-last-child(2)"),
      shown("[data-testid=tool-choice] label"),
    ),
  },
  {
    name: "a prompt in the composer",
    scene: "chat",
    go: inTurn((page) => page.getByTestId("composer").pressSequentially("/p"), shown("[data-testid=offer-entry]")),
  },
  {
    name: "a resource in the composer",
    scene: "chat",
    go: inTurn((page) => page.getByTestId("composer").pressSequentially("@"), shown("[data-testid=offer-entry]")),
  },
  {
    name: "no prompts in the composer",
    scene: "first",
    go: inTurn((page) => page.getByTestId("composer").pressSequentially("/"), shown("[data-testid=offer-line]")),
  },
  {
    name: "closing while something runs",
    scene: "chat",
    go: inTurn(
      (page) => page.evaluate(() => globalThis.fake.tell({ event: "close_asked", chats: 1, requests: 2 })),
      shown("[data-testid=close-ask]"),
    ),
  },
  {
    name: "a model that is asked again",
    scene: "chat",
    go: inTurn(
      chat(1),
      (page) => page.evaluate(() => globalThis.fake.retrying("oslo")),
      chat(0),
      shown("[data-testid=retrying]"),
    ),
  },
  {
    name: "an answer that can be continued",
    scene: "chat",
    go: inTurn(
      chat(1),
      (page) => page.evaluate(() => globalThis.fake.cutOff("oslo", true)),
      chat(0),
      shown("[data-testid=continue]"),
    ),
  },
  {
    name: "most of a budget spent",
    scene: "budget",
    go: shown("[data-testid=budget-line]"),
  },
  {
    name: "a budget that is used up",
    scene: "budget",
    go: inTurn(
      (page) => page.evaluate(() => globalThis.fake.useUp("oslo")),
      shown("[data-testid=entry-failure] button"),
    ),
  },
  {
    name: "the settings of a budget",
    scene: "budget",
    go: inTurn(click("[data-testid=to-settings]"), (page) => page.getByTestId("cost-budgets").scrollIntoViewIfNeeded()),
  },
  {
    name: "setting up a connection",
    scene: "chat",
    go: inTurn(
      click("[data-testid=to-settings]"),
      click("[data-testid=find-local]"),
      click("[data-testid=add-connection]"),
    ),
  },
  {
    name: "adding a model file",
    scene: "chat",
    go: inTurn(
      click("[data-testid=to-settings]"),
      click("[data-testid=add-connection]"),
      click("[data-testid=provider-model-file]"),
      shown("[data-testid=local-model-form]"),
    ),
  },
  { name: "a local model that ended", scene: "local_model", go: click("[data-testid=to-settings]") },
  {
    name: "changing a local model",
    scene: "local_model",
    go: inTurn(
      click("[data-testid=to-settings]"),
      (page) => page.getByTestId("change-connection").first().click(),
      shown("[data-testid=local-model-form]"),
    ),
  },
  {
    name: "choosing models of a connection",
    scene: "chat",
    go: inTurn(
      click("[data-testid=to-settings]"),
      click("[data-testid=choose-models] >> nth=1"),
      shown("[data-testid=find-listed]"),
    ),
  },
  {
    name: "a model that waits for an answer about its prices",
    scene: "asking",
    go: inTurn(
      click("[data-testid=to-settings]"),
      click("[data-testid=connection] >> nth=1 >> [data-testid=model-row] .acts [aria-expanded]"),
      click("[data-testid=model-form] [type=submit]"),
      shown("[data-testid=model-form] [role=status]"),
    ),
  },
  {
    name: "models that wait for an answer about their prices",
    scene: "asking",
    go: inTurn(
      click("[data-testid=to-settings]"),
      click("[data-testid=choose-models] >> nth=1"),
      (page) => page.getByTestId("model-by-name").fill("preview"),
      click("[data-testid=model-choice] [type=submit]"),
      shown("[data-testid=change][data-state=waiting]"),
    ),
  },
  {
    name: "changing a connection and a model",
    scene: "chat",
    go: inTurn(
      click("[data-testid=to-settings]"),
      click("[data-testid=connection] >> nth=1 >> [aria-expanded] >> nth=1"),
      click("[data-testid=model-row] .acts [aria-expanded] >> nth=2"),
    ),
  },
  {
    name: "models that were tried",
    scene: "chat",
    go: inTurn(
      click("[data-testid=to-settings]"),
      click("[data-testid=try-model] >> nth=0"),
      click("[data-testid=connection] >> nth=1 >> [data-testid=try-model] >> nth=0"),
      shown("[data-testid=trial] >> nth=1"),
    ),
  },
  {
    name: "a start that failed",
    scene: "chat",
    ready: "h1",
    begin: (page) =>
      page.addInitScript(() => {
        globalThis.__VESTIBULE_PROBLEM__ = { problem: "data_newer", found: 4711, known: 12 };
      }),
  },
  { name: "a narrow window", scene: "chat", width: 640 },
  { name: "the left panel of a narrow window", scene: "chat", width: 640, go: click(".bar .icon-button") },
];

/** The cards of the consent window. */
export const CARDS = [
  { name: "start a server", scene: "start_server" },
  { name: "start the program of a model", scene: "start_model" },
  { name: "start a server of which more is checked", scene: "start_again" },
  { name: "start a server whose package is downloaded first", scene: "start_download" },
  { name: "start a server from its downloaded package", scene: "start_downloaded" },
  { name: "start a server from a bundle", scene: "start_bundle" },
  { name: "start a server whose runner was updated", scene: "start_updated" },
  { name: "start a server with a serious variable", scene: "start_serious" },
  { name: "a provider to look up", scene: "look_up_issuer" },
  { name: "sign in", scene: "sign_in", go: click(".disclosure button") },
  { name: "sign in with more access", scene: "sign_in_more" },
  { name: "a sign in that is odd", scene: "sign_in_odd" },
  {
    name: "a sign in on a page of another site",
    scene: "sign_in_elsewhere",
    go: click("[data-testid=other-page-yes]"),
  },
  { name: "a sign in with a file", scene: "sign_in_file" },
  { name: "connect to a server", scene: "connect_server" },
  { name: "call a tool", scene: "call_tool" },
  { name: "a call that sends arguments as headers", scene: "headers" },
  { name: "a form for a task", scene: "task" },
  { name: "a form filled in before the window was loaded anew", scene: "restored" },
  { name: "a call with every kind of argument", scene: "form" },
  {
    name: "a call allowed for longer",
    scene: "form",
    go: inTurn(click("[data-testid=scope-chat]"), (page) =>
      page.locator("[data-testid=card-condition] select").first().selectOption({ index: 2 }),
    ),
  },
  { name: "a call as JSON", scene: "form", go: click(".cap label >> nth=1") },
  { name: "a call with a long value", scene: "long" },
  { name: "a changed tool", scene: "tool_changed", go: click(".disclosure button") },
  { name: "instructions", scene: "instructions_first" },
  { name: "changed instructions", scene: "instructions" },
  { name: "new tools", scene: "new_tools", go: click(".disclosure button") },
  { name: "a changed tool with long words", scene: "tool_changed_long", go: click("[data-rest]") },
  { name: "a standing permission", scene: "allow_tool" },
  { name: "a form", scene: "fill_form" },
  { name: "a form with every kind of field", scene: "fill_form_all", go: click(".blocked button") },
  { name: "a page", scene: "open_page" },
  { name: "a blocked page", scene: "blocked_page", go: click(".disclosure button") },
  { name: "a link of a model", scene: "open_link" },
  { name: "a blocked link of a model", scene: "blocked_link", go: click(".disclosure button") },
  { name: "a page being visited", scene: "visit_page" },
  { name: "a page that did not open", scene: "visit_failed" },
  { name: "a call outside of the shared folders", scene: "outside" },
  { name: "a call that carries values of another server", scene: "carried" },
  { name: "a call with findings in its arguments", scene: "found" },
  { name: "what a model is told", scene: "sample" },
  { name: "a long text for a model", scene: "long_sample" },
  { name: "what a model said", scene: "sample_reply" },
  {
    name: "what a model said, and a person changed",
    scene: "sample_reply",
    go: (page) => page.locator("textarea").first().fill("A rain jacket."),
  },
  { name: "folders to share", scene: "folders" },
  { name: "rules to keep", scene: "keep_rules" },
  { name: "a permission to hold again", scene: "hold_again" },
  { name: "a changed tool whose record was lost", scene: "record_lost" },
  { name: "a rule that gets wider", scene: "widen_rule" },
  { name: "a refusal to take back", scene: "drop_refusals" },
  { name: "another version of a package", scene: "update_package" },
  { name: "another version of a package with install scripts", scene: "update_package_scripts" },
  { name: "a chat that moves", scene: "move_chat" },
  { name: "a workspace that is removed", scene: "remove_workspace" },
  { name: "a budget to raise", scene: "raise_budget" },
  { name: "a monthly budget to raise", scene: "raise_month_budget" },
  { name: "a chat's budget to raise", scene: "raise_chat_budget" },
  { name: "prices that count for less", scene: "lower_prices" },
  { name: "a connection that moves and counts for less", scene: "move_unpriced" },
  { name: "prices in another currency", scene: "change_currency" },
  { name: "models without a known price", scene: "add_unpriced" },
  { name: "going on once over budgets", scene: "go_on_once" },
  { name: "a ledger to accept", scene: "accept_ledger" },
  { name: "a model to add", scene: "save_model" },
  { name: "a model at a blocked address", scene: "model_blocked" },
  { name: "a model that moves", scene: "move_model" },
  { name: "other headers of a connection", scene: "model_headers" },
  { name: "a chat that goes elsewhere", scene: "chat_model" },
  { name: "a flood", scene: "flood", go: click(".mute-button"), permits: false },
  { name: "a flood of the same", scene: "flood_alike" },
  { name: "asked often", scene: "often" },
  { name: "denied in a row", scene: "denied" },
  { name: "several questions", scene: "several" },
  { name: "calls side by side", scene: "parallel" },
  { name: "saying why", scene: "call_tool", go: click("[data-testid=answer-refuse-why]") },
  { name: "a request that cannot be shown", scene: "undrawn", ready: "[data-testid=undrawn]", permits: false },
  { name: "nothing", scene: "empty" },
];
