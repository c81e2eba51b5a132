// Generated from the Rust types by `make bindings`. Do not edit.

/**
 * A kind of effect and the object it acts on.
 */
export type Action = { "action": "start_server" } | { "action": "connect_server" } | { "action": "call_tool", 
/**
 * The tool's exact name.
 */
tool: string, } | { "action": "read_resource", 
/**
 * The resource's exact address.
 */
uri: string, } | { "action": "get_prompt", 
/**
 * The prompt's exact name.
 */
prompt: string, } | { "action": "open_page", 
/**
 * The registrable domain of the page, in ASCII.
 */
domain: string, } | { "action": "sample" };

/**
 * What the user says.
 */
export type Answer = { "answer": "cancel" } | { "answer": "refuse", 
/**
 * In the user's words, for the model.
 */
reason: string | null, } | { "answer": "accept", scope: Scope, 
/**
 * The arguments as the user left them; `None` means as shown.
 */
arguments: Record<string, unknown> | null, 
/**
 * What has to hold for the arguments of later calls, where the answer is to hold for longer.
 */
when: Array<Condition>, } | { "answer": "submit", 
/**
 * What stands in the fields; what is left empty is left out.
 */
content: Record<string, unknown>, 
/**
 * The fields that look like a secret and that the user said hold none.
 */
not_secret: Array<string>, } | { "answer": "open" } | { "answer": "done" } | { "answer": "mute", 
/**
 * For how long; `None` until the user says otherwise.
 */
minutes: number | null, } | { "answer": "one_by_one" };

/**
 * What a configuration file holds.
 */
export type AppConfigContent = { "content": "servers", parsed: ParsedServers, 
/**
 * One for each of the servers that can be added, in their order.
 */
comparisons: Array<DraftComparison>, } | { "content": "no_servers" } | { "content": "unreadable", problem: Problem, };

/**
 * A configuration file of another application.
 */
export type AppConfigFile = { 
/**
 * The application, by its own name.
 */
app: string, path: string, content: AppConfigContent, };

/**
 * What was found when the user had this computer looked at.
 */
export type AppConfigs = { 
/**
 * The files that are there, by application.
 */
files: Array<AppConfigFile>, 
/**
 * The applications whose files were looked for, by their own names.
 */
apps: Array<string>, };

export type Appearance = "system" | "light" | "dark";

/**
 * What was found. The default says that there was nothing to find.
 */
export type ArgumentFindings = { 
/**
 * Paths that a link leads to another place.
 */
links: Array<PathFinding>, 
/**
 * Places in Vestibule's own data or configuration. Then it is asked, whatever was allowed.
 */
own_data: Array<PathFinding>, 
/**
 * Where the paths lead could not be found out. Then it is asked, whatever was allowed.
 */
paths_unchecked: boolean, 
/**
 * There was too much to compare with what other servers returned. Then it is asked, whatever was allowed.
 */
flow_unchecked: boolean, 
/**
 * The model wrote the call as text instead of making it. Then it is asked, whatever was allowed.
 */
as_text?: boolean, };

/**
 * The kinds of asking that are counted each for itself.
 */
export type Asking = "call" | "form" | "page" | "sampling" | "roots";

/**
 * One part of something attached.
 */
export type AttachedPart = { 
/**
 * Who speaks in it, in a prompt.
 */
role: Role | null, content: ContentView, };

/**
 * Where something attached comes from.
 */
export type AttachmentFrom = { "from": "resource", uri: string, 
/**
 * What the server calls it; the address where it is of a pattern.
 */
name: string, } | { "from": "prompt", name: string, 
/**
 * What the user wrote.
 */
arguments: { [key in string]: string }, } | { "from": "file", 
/**
 * Its name without the folder.
 */
name: string, 
/**
 * Its size when it was read.
 */
bytes: number, 
/**
 * How many pages the PDF has whose text this is; `None` for any other file.
 */
pages: number | null, };

/**
 * A resource or an expanded prompt the user picked for a chat.
 */
export type AttachmentId = string;

/**
 * Something of a server, or a file, that a user picked for one chat.
 */
export type AttachmentView = { 
/**
 * Our name for it.
 */
id: AttachmentId, 
/**
 * The server it comes from; `None` for a file.
 */
server: ServerId | null, 
/**
 * The user's name for that server then; empty for a file.
 */
server_name: string, 
/**
 * Where it comes from.
 */
from: AttachmentFrom, 
/**
 * All that goes to the model of it, in order.
 */
parts: Array<AttachedPart>, 
/**
 * How many bytes were left out because it was too large to keep.
 */
cut_bytes: number, 
/**
 * The server said since that it is another now.
 */
changed: boolean, };

/**
 * A backup that the user chose, and what restoring it would replace. Nothing is replaced before the next start.
 */
export type BackupView = { 
/**
 * Its name without the folder.
 */
file: string, bytes: number, holds: DataCounts, replaces: DataCounts, 
/**
 * Whether each record of its ledger continues the one before and has the hash of its content.
 */
ledger_intact: boolean, 
/**
 * The folder to which the current data is moved.
 */
kept_in: string, 
/**
 * Whether the user confirmed that it is restored at the next start.
 */
confirmed: boolean, };

/**
 * A backup that was written.
 */
export type BackupWritten = { path: string, bytes: number, };

/**
 * One reason for a decision.
 */
export type Because = { "why": "rule", rule: RuleId, 
/**
 * How far it reaches.
 */
scope: Scope, } | { "why": "floor", floor: Floor, } | { "why": "unruled" } | { "why": "person", 
/**
 * How far the answer reaches.
 */
scope: Scope, };

/**
 * A file that a launch reads as code.
 */
export type BoundFile = { 
/**
 * How the launch uses it.
 */
role: FileRole, 
/**
 * Its path as it is used.
 */
path: string, 
/**
 * The path behind symbolic links.
 */
resolved: string, 
/**
 * SHA-256 of its bytes in hexadecimal digits; `None` where they are not known.
 */
sha256: string | null, 
/**
 * Whether its name is that of a program that runs other code, such as `node`. Such programs are updated often.
 */
runner: boolean, };

/**
 * What a server may spend of the user's models. Costs are in millionths of the currency; costs in another currency do
 * not count.
 */
export type Budget = { 
/**
 * Tokens in any hour; 0 refuses every request.
 */
tokens_hour: number, 
/**
 * Tokens in any day.
 */
tokens_day: number, 
/**
 * Cost in any hour.
 */
cost_hour: number | null, 
/**
 * Cost in any day.
 */
cost_day: number | null, currency: Currency, };

/**
 * What a server may still spend, before this request.
 */
export type BudgetLeft = { 
/**
 * Tokens in this hour.
 */
tokens_hour: number, of_tokens_hour: number, tokens_day: number, of_tokens_day: number, 
/**
 * Cost in this hour, in millionths of the currency, where there is a limit.
 */
cost_hour: number | null, cost_day: number | null, 
/**
 * The currency of the limits. Costs in another one do not count.
 */
currency: Currency, };

/**
 * What a budget counts.
 */
export type BudgetScope = "chat" | "day" | "month";

/**
 * A budget and what was spent of it.
 */
export type BudgetView = { 
/**
 * What may be spent.
 */
budget: Budget, 
/**
 * Tokens spent in the last hour.
 */
spent_hour: number, 
/**
 * Tokens spent in the last day.
 */
spent_day: number, 
/**
 * Costs of the last hour, one amount for each currency.
 */
costs_hour: Array<Cost>, 
/**
 * Costs of the last day, one amount for each currency.
 */
costs_day: Array<Cost>, };

/**
 * A call of one of Vestibule's own tools, with what the model read.
 */
export type BuiltInCall = { 
/**
 * The model's id for the call.
 */
call: string, tool: BuiltInTool, 
/**
 * What the model wrote; empty where that was no object.
 */
arguments: Record<string, unknown>, outcome: BuiltInOutcome, 
/**
 * What the model read of it.
 */
words: string, 
/**
 * Whether it was read from a file. It was not made here.
 */
imported?: boolean, };

/**
 * What a call of one of Vestibule's own tools came to.
 */
export type BuiltInOutcome = { "end": "found", tools: Array<FoundTool>, } | { "end": "read", 
/**
 * The server it came from; `None` where the call named no known one.
 */
server: ServerId | null, 
/**
 * The user's name for the server then.
 */
server_name: string, tool: string, 
/**
 * A part of the result, in the words of the server.
 */
text: string, } | { "end": "refused" };

/**
 * A tool that Vestibule itself offers to a model beside those of servers.
 */
export type BuiltInTool = "find_tools" | "read_result";

/**
 * What the user entered for a bundle.
 */
export type BundleDraft = { 
/**
 * The archive that was shown.
 */
sha256: string, 
/**
 * The name of the server.
 */
name: string, 
/**
 * The values by key. One that is not here has what its author proposes.
 */
values: { [key in string]: Array<string> }, };

/**
 * Why an archive is refused.
 */
export type BundleFault = { "fault": "not_an_archive" } | { "fault": "damaged", detail: string, } | { "fault": "too_large", limit_mb: number, } | { "fault": "too_many", limit: number, } | { "fault": "expands", limit_mb: number, } | { "fault": "inflates", ratio: number, } | { "fault": "path", path: string, } | { "fault": "kind", path: string, } | { "fault": "twice", path: string, } | { "fault": "encrypted", path: string, } | { "fault": "packed", path: string, } | { "fault": "no_manifest" } | { "fault": "manifest_unreadable", limit_kb: number, detail: string, } | { "fault": "manifest_version", found: string, } | { "fault": "manifest", member: string, } | { "fault": "entry_point", path: string, } | { "fault": "digest", expected: string, found: string, };

/**
 * What runs the server of a bundle.
 */
export type BundleKind = "node" | "python" | "binary" | "uv";

/**
 * What the server of a bundle is started with.
 */
export type BundleLaunch = { command: string, args: Array<string>, env: Array<EnvPair>, 
/**
 * The variables among `env` that decide what runs, by name.
 */
effects: { [key in string]: VariableEffect }, };

/**
 * What the author of a bundle says of it.
 */
export type BundleManifest = { name: string, 
/**
 * The name for people; `name` where there is none.
 */
title: string, version: string, description: string, author: string, license: string | null, homepage: string | null, repository: string | null, kind: BundleKind, 
/**
 * The names of the tools it says it has.
 */
tools: Array<string>, 
/**
 * Whether it says that there are more while it runs.
 */
more_tools: boolean, 
/**
 * The systems it is made for; empty where it does not say.
 */
platforms: Array<string>, 
/**
 * Whether this computer has one of these systems.
 */
fits: boolean, 
/**
 * What it needs to run, such as Node.js.
 */
runtimes: Array<BundleRuntime>, };

/**
 * A bundle that a registry lists.
 */
export type BundleOffer = { address: string, 
/**
 * SHA-256 of the archive in hexadecimal digits.
 */
sha256: string, };

/**
 * A bundle was not read, not downloaded or not added.
 */
export type BundleProblem = { "problem": "bundle_refused", bundle: string, fault: BundleFault, } | { "problem": "bundle_unreadable", bundle: string, detail: string, } | { "problem": "bundle_only" } | { "problem": "bundle_not_downloaded", host: string, detail: string, } | { "problem": "bundle_value", title: string, fault: BundleValueFault, } | { "problem": "bundle_not_unpacked", folder: string, detail: string, };

/**
 * A runtime that a bundle needs.
 */
export type BundleRuntime = { name: string, 
/**
 * The versions that fit, as its author writes them.
 */
versions: string, };

/**
 * A value that a bundle asks the user for.
 */
export type BundleSetting = { 
/**
 * Unique within its bundle.
 */
key: string, title: string, description: string, kind: BundleSettingKind, required: boolean, 
/**
 * Whether it is not shown while it is typed.
 */
sensitive: boolean, 
/**
 * Whether it may have several values.
 */
multiple: boolean, min: number | null, max: number | null, 
/**
 * What the author proposes.
 */
proposed: Array<string>, 
/**
 * Whether it becomes part of the command line, which every program of the user can read.
 */
on_command_line: boolean, };

/**
 * The type of a value that a bundle asks for.
 */
export type BundleSettingKind = "text" | "number" | "boolean" | "folder" | "file";

/**
 * Why a value does not fit.
 */
export type BundleValueFault = { "fault": "missing" } | { "fault": "not_a_number" } | { "fault": "too_small", min: number, } | { "fault": "too_large", max: number, } | { "fault": "not_a_boolean" } | { "fault": "one_only" } | { "fault": "no_folder" } | { "fault": "no_file" };

/**
 * A bundle that was read and waits to be added. Nothing of it is unpacked.
 */
export type BundleView = { 
/**
 * The name of its file, or the address it was downloaded from.
 */
source: string, 
/**
 * SHA-256 of the archive in hexadecimal digits.
 */
sha256: string, 
/**
 * The archive, in bytes.
 */
bytes: number, 
/**
 * All its files together, in bytes.
 */
unpacked_bytes: number, 
/**
 * How many files it has.
 */
files: number, manifest: BundleManifest, 
/**
 * What it would start. `${user_config.key}` stands for a value of `settings`.
 */
launch: BundleLaunch, settings: Array<BundleSetting>, 
/**
 * The folder that it would be unpacked into.
 */
folder: string, 
/**
 * Whether it carries a signature. Signatures are not checked.
 */
has_signature: boolean, };

/**
 * What will be sent to a tool.
 */
export type Call = { tool: Tool, 
/**
 * The arguments the model wrote; the user may change them.
 */
arguments: Record<string, unknown>, 
/**
 * The arguments of the last call of this tool that was allowed in this chat, to show what differs.
 */
last_arguments: Record<string, unknown> | null, 
/**
 * Why a permission that exists does not cover this call.
 */
raised: Raised | null, 
/**
 * What in the arguments another server returned in this chat. Then it is asked, whatever was allowed.
 */
carried: Array<CarriedValue>, 
/**
 * Arguments that are also sent as HTTP headers, which more programs on the way read and log.
 */
headers: Array<HeaderArgument>, 
/**
 * The folders the server may know of, where there are any.
 */
roots: Array<string>, 
/**
 * The places in the arguments outside of these.
 */
outside: Array<PathFinding>, 
/**
 * What else was found in the arguments.
 */
findings: ArgumentFindings, };

/**
 * A tool call of a model.
 */
export type CallBody = { 
/**
 * The model's own id for the call, to answer it by.
 */
call: string, 
/**
 * The name the model used.
 */
called_as: string, 
/**
 * The server, where one of that name is known.
 */
server: ServerId | null, 
/**
 * The user's name for it then.
 */
server_name: string, tool: string, 
/**
 * The arguments as they were sent, or as the model wrote them while nothing is sent yet.
 */
arguments: Record<string, unknown>, 
/**
 * Whether the user changed them.
 */
edited: boolean, 
/**
 * Whether the model wrote the call as text instead of making it.
 */
as_text?: boolean, 
/**
 * Whether it was read from a file. It was not made here, and what came of it is what the file says.
 */
imported?: boolean, 
/**
 * Why it was let through or refused, once that is decided.
 */
because: Array<Because>, } & ({ "state": "deciding" } | { "state": "waiting", question: QuestionId, } | { "state": "running", 
/**
 * When it was sent, in milliseconds since 1970.
 */
since_ms: number, 
/**
 * What the server last said of its progress.
 */
progress: ProgressView | null, } | { "state": "task", 
/**
 * How far it is.
 */
task: TaskView, } | { "state": "answered", result: ResultView, 
/**
 * How long it took.
 */
elapsed_ms: number, } | { "state": "failed", problem: Problem, } | { "state": "refused", by: RefusedBy, 
/**
 * The user's words for the model.
 */
reason: string | null, } | { "state": "cancelled", 
/**
 * Whether it was sent before, and so may have happened all the same.
 */
sent: boolean, } | { "state": "interrupted", 
/**
 * Whether it was sent before, and so may have happened all the same.
 */
sent: boolean, });

/**
 * A request to a connected server failed or was not sent.
 */
export type CallProblem = { "problem": "call_lost", detail: string, stderr: Array<string>, } | { "problem": "call_not_sent", detail: string, } | { "problem": "server_error", code: number, message: string, } | { "problem": "call_timed_out", seconds: number, } | { "problem": "call_not_completed", detail: string, } | { "problem": "malformed_reply", detail: string, } | { "problem": "reply_too_large", detail: string, } | { "problem": "task_gone" } | { "problem": "no_such_resource", uri: string, } | { "problem": "reading_refused" } | { "problem": "page_not_visited" } | { "problem": "no_such_tool", name: string, } | { "problem": "not_offered", name: string, } | { "problem": "tool_changed_meanwhile", tool: string, } | { "problem": "tool_held", tool: string, } | { "problem": "arguments_invalid", errors: Array<string>, } | { "problem": "arguments_unchecked", reason: Unchecked, } | { "problem": "arguments_unreadable", detail: string, };

/**
 * A value on its way from one server to another.
 */
export type CarriedValue = { 
/**
 * The server it came from, as it was called then.
 */
server: string, 
/**
 * The tool that returned it.
 */
tool: string, 
/**
 * Where in the arguments it stands, as a JSON pointer.
 */
at: string, 
/**
 * The value, or its beginning.
 */
value: string, };

/**
 * The place in a chat that a question comes from.
 */
export type Cause = { chat: ChatId, 
/**
 * Its title at that moment.
 */
chat_title: string, 
/**
 * The entry of the call.
 */
entry: EntryId | null, 
/**
 * The tool whose call goes on as a task, where the server says that it asks because of that task. The name of the
 * task works like a password and never stands here.
 */
task_of: string | null, };

/**
 * What is wrong with the certificate of an address.
 */
export type CertificateFault = "unknown_issuer" | "expired" | "not_yet_valid" | "other_name" | "self_signed" | "revoked" | "invalid";

/**
 * What a server tells models, before and after.
 */
export type Change = { subject: ChangeSubject, 
/**
 * The definition that was accepted; null where its record is lost.
 */
before: JsonValue, 
/**
 * The definition the server sends now.
 */
after: JsonValue, 
/**
 * What differs, member by member.
 */
differences: Array<Difference>, };

/**
 * How a change that was asked ended.
 */
export type ChangeEnd = { "end": "done" } | { "end": "refused" } | { "end": "outdated" } | { "end": "failed", problem: Problem, };

/**
 * What a command did.
 */
export type ChangeOutcome = { "change": "done" } | { "change": "asked", question: QuestionId, };

/**
 * What a server changed of what it tells models.
 */
export type ChangeSubject = { "of": "tool", name: string, } | { "of": "new_tools", names: Array<string>, } | { "of": "instructions" };

/**
 * How long a model thinks before it answers.
 */
export type ChatEffort = "low" | "medium" | "high";

/**
 * The form of a file that chats are exported to.
 */
export type ChatFileForm = "markdown" | "json";

/**
 * A part of an entry that has the text.
 */
export type ChatFindHit = { entry: EntryId, 
/**
 * The place of the entry, as in its view.
 */
position: number, place: ChatFindPlace, 
/**
 * How often the text is in a message; 1 for the other places, which are shown folded.
 */
count: number, };

/**
 * The part of an entry where a text is.
 */
export type ChatFindPlace = "message" | "thoughts" | "call" | "result";

/**
 * The places of a text in a chat, in the order of the chat.
 */
export type ChatFindView = { hits: Array<ChatFindHit>, 
/**
 * False where a bound on time or number ended the search. The newest entries are searched first.
 */
complete: boolean, };

/**
 * An entry in which words were found.
 */
export type ChatHit = { chat: ChatId, entry: EntryId, 
/**
 * When the entry was made, in milliseconds since 1970.
 */
at_ms: number, speaker: HitSpeaker, 
/**
 * One line of the text around the first hit, in order.
 */
excerpt: Array<ExcerptPart>, };

export type ChatId = string;

/**
 * What an import of a chosen file would add. Nothing is written before the user confirms it.
 */
export type ChatImportView = { 
/**
 * The name of the file, without its folder.
 */
file: string, source: ChatSource, chats: number, 
/**
 * Messages of the user and of models, in all branches.
 */
messages: number, 
/**
 * Calls of tools, in all branches. None of them is made.
 */
calls: number, 
/**
 * The titles of the first chats.
 */
titles: Array<string>, 
/**
 * What of the file is not imported, at most a hundred lines.
 */
left_out: Array<ChatPartLeftOut>, 
/**
 * How many such lines there are besides.
 */
left_out_more: number, };

/**
 * Why a part of a file of chats is not imported.
 */
export type ChatPartFault = "chat_unreadable" | "chat_empty" | "too_many" | "entry_unreadable" | "entry_too_large" | "id_taken" | "parent_missing" | "parent_circle" | "result_without_call" | "file_missing" | "instructions";

/**
 * Parts of one chat of a file that are not imported for the same reason.
 */
export type ChatPartLeftOut = { 
/**
 * The title of the chat; empty where it has none.
 */
chat: string, reason: ChatPartFault, count: number, 
/**
 * What is wrong with the first of them, in technical words; may be empty.
 */
detail: string, };

/**
 * What a search over all chats found.
 */
export type ChatSearch = { 
/**
 * The newest come first.
 */
hits: Array<ChatHit>, 
/**
 * Whether there may be more than these.
 */
more: boolean, 
/**
 * How many entries of an earlier version cannot be found yet.
 */
unindexed: number, };

/**
 * What a chat asks of its model; what is left out is left to the model.
 */
export type ChatSettings = { 
/**
 * How long it thinks before it answers.
 */
effort?: ChatEffort, 
/**
 * How freely it chooses its words, in hundredths from 0 to 200.
 */
temperature?: number, 
/**
 * The most tokens of one answer.
 */
longest?: number, 
/**
 * What its rounds may cost together. A command of its own changes it.
 */
budget?: CostBudget, 
/**
 * What is done with long results; as the settings say where it is left out.
 */
large_results?: LargeResults, };

/**
 * The application that wrote a file of chats.
 */
export type ChatSource = "vestibule" | "chat_gpt" | "claude";

/**
 * A summary of the older part of a chat, written by its model.
 */
export type ChatSummary = { summary: string, 
/**
 * The last entry it stands for. It stands for all entries before that one too.
 */
up_to: EntryId, 
/**
 * The tokens of a request with these messages, as estimated.
 */
before_tokens: number, 
/**
 * The tokens of the same request with the summary in their place, as estimated.
 */
after_tokens: number, 
/**
 * Whether it is sent in their place. The user decides.
 */
used: boolean, 
/**
 * Whether the user changed it.
 */
edited: boolean, 
/**
 * What it took; `None` where the model's server does not say and the model has no price.
 */
usage?: UsageView, };

/**
 * What all rounds of a chat took, as the models' servers counted. Rounds that cost something and were not counted are
 * estimated.
 */
export type ChatUsageView = { 
/**
 * Tokens read, with those from the cache.
 */
input: number, 
/**
 * Tokens written, with those of reasoning.
 */
output: number, 
/**
 * The part of `input` read from the vendor's cache.
 */
cached: number, 
/**
 * What rounds with a known price cost, one amount for each currency.
 */
costs: Array<Cost>, };

/**
 * A chat in the list.
 */
export type ChatView = { 
/**
 * Our name for it.
 */
id: ChatId, 
/**
 * Whether it is in memory alone and ends with the application.
 */
temporary: boolean, 
/**
 * The user's title; empty until the first message gives it one.
 */
title: string, 
/**
 * The model it talks to; `None` means the default of the settings.
 */
model: ModelId | null, 
/**
 * The workspace it belongs to.
 */
workspace: WorkspaceId, 
/**
 * When it last changed, in milliseconds since 1970.
 */
updated_ms: number, 
/**
 * Whether the model is at work in it.
 */
busy: boolean, 
/**
 * Set while the model's server is to be asked again.
 */
retry?: RetryView, 
/**
 * What its rounds took so far; `None` where no model said.
 */
usage?: ChatUsageView, 
/**
 * The servers whose tools are not offered to the model in it.
 */
servers_off: Array<ServerId>, 
/**
 * The servers whose tools alone are offered, where the user chose a profile.
 */
servers_only?: Array<ServerId>, 
/**
 * The single tools that are not offered to the model in it.
 */
tools_off: Array<ToolOff>, settings: ChatSettings, 
/**
 * The messages that wait until the model is done, in the order they are sent.
 */
queue: Array<QueuedView>, 
/**
 * Whether it is kept at the top of the list.
 */
pinned: boolean, 
/**
 * Whether it was put away.
 */
archived: boolean, 
/**
 * When it was moved to the trash, in milliseconds since 1970; `None` where it was not.
 */
trashed_ms: number | null, 
/**
 * The application that wrote the file it was imported from; `None` where it was begun here.
 */
imported?: ChatSource, };

/**
 * What an import added.
 */
export type ChatsImported = { chats: number, 
/**
 * The chat, where it was one alone.
 */
only: ChatId | null, };

/**
 * One of several values.
 */
export type ChoiceOption = { value: string, 
/**
 * What is shown, where that differs.
 */
title: string | null, };

/**
 * What a tool claims about its effects; `None` where it says nothing.
 */
export type Claims = { read_only: boolean | null, 
/**
 * It may destroy something.
 */
destructive: boolean | null, 
/**
 * Calling it twice is like calling it once.
 */
idempotent: boolean | null, 
/**
 * It reaches beyond a closed set of things.
 */
open_world: boolean | null, };

/**
 * What was done where a chat had become longer than its model reads.
 */
export type Compaction = { "state": "running" } | { "state": "summarized" } & ChatSummary | { "state": "shortened", why: NoSummary, } | { "state": "stopped" };

/**
 * What an administrator says about the company's identity provider.
 */
export type CompanyView = { issuer: string, 
/**
 * Where identity tokens are exchanged.
 */
token_endpoint: string, 
/**
 * The client id of this application there.
 */
client: string, };

/**
 * A field a user is writing in.
 */
export type CompletionAsk = { 
/**
 * What is being filled in.
 */
of: CompletionOf, 
/**
 * Which field of it.
 */
field: string, 
/**
 * What stands in it.
 */
value: string, 
/**
 * What stands in the others.
 */
others: { [key in string]: string }, };

/**
 * What is being filled in.
 */
export type CompletionOf = { "prompt": string } | { "pattern": string };

/**
 * What a server proposes for a field.
 */
export type CompletionView = { 
/**
 * Best first, at most a hundred.
 */
values: Array<string>, more: boolean, };

/**
 * One condition: which values, and what holds for them.
 */
export type Condition = { 
/**
 * Which values: a JSON pointer into the arguments, where `*` stands for every member of an object or array.
 */
at: string, 
/**
 * What has to hold for them.
 */
is: Test, };

/**
 * What will be connected to.
 */
export type Connection = { 
/**
 * The whole address, to the letter and taken apart, with what is odd about it.
 */
inspection: UrlInspection, 
/**
 * Scheme, host and port: where everything goes.
 */
origin: string, 
/**
 * Which transport is spoken.
 */
transport: TransportChoice, 
/**
 * The headers that are sent along.
 */
headers: Array<NamedValue>, 
/**
 * The proxy everything goes through, where there is one: scheme, host and port.
 */
proxy: string | null, 
/**
 * Whether the address carries values of its own, which may be secrets.
 */
carries_values: boolean, 
/**
 * Whether an earlier permission ended because something here changed.
 */
changed: boolean, };

/**
 * A connection as a user writes it.
 */
export type ConnectionDraft = { 
/**
 * The one to change; `None` makes a new one.
 */
id: ConnectionId | null, 
/**
 * What to call it; empty takes the host of its address.
 */
label: string, 
/**
 * How to speak to it; `None` leaves a connection that is there as it is, and lets the address decide for a new
 * one.
 */
wire: ModelWire | null, 
/**
 * The address; for OpenAI's interfaces up to and with `/v1`.
 */
base_url: string, 
/**
 * A key to keep in the keychain; `None` leaves the one that is there, empty takes it away.
 */
key: string | null, 
/**
 * All extra headers; one that is left out is removed.
 */
headers: Array<HeaderDraft>, 
/**
 * Models to add with it, by their names there.
 */
models: Array<string>, };

/**
 * A way to models: an address, how it is spoken to, and one key.
 */
export type ConnectionId = string;

/**
 * What saving a connection did.
 */
export type ConnectionSaved = { 
/**
 * The connection, which exists only once the change is made.
 */
connection: ConnectionId, 
/**
 * The models that come with it.
 */
models: Array<ModelId>, 
/**
 * Whether it is made.
 */
change: ChangeOutcome, };

/**
 * A way to models.
 */
export type ConnectionSummary = { 
/**
 * The user's name for it.
 */
label: string, 
/**
 * The models that are added with it, by their names at the address.
 */
models: Array<string>, 
/**
 * The names of the headers that go along. Their values are never shown.
 */
headers: Array<string>, address: UrlInspection, 
/**
 * The proxy everything goes through, where there is one.
 */
proxy: string | null, };

/**
 * A way to models: one address and one key.
 */
export type ConnectionView = { id: ConnectionId, 
/**
 * The user's name for it, or else the host of its address.
 */
label: string, 
/**
 * How its models are spoken to.
 */
wire: ModelWire, 
/**
 * Its address; for OpenAI's interfaces up to and with `/v1`.
 */
base_url: string, 
/**
 * The proxy everything goes through, where there is one: scheme, host and port.
 */
proxy: string | null, 
/**
 * Whether a key for it is in the keychain (or in memory).
 */
has_key: boolean, 
/**
 * The names of extra headers. Their values are never sent to a window.
 */
headers: Array<string>, 
/**
 * The program that Vestibule starts for it, where it is one on this computer.
 */
local: LocalModelView | null, };

/**
 * One part of a result.
 */
export type ContentView = { "type": "text", text: string, } | { "type": "image", mime: string, base64: string, } | { "type": "audio", mime: string, base64: string, } | { "type": "link", uri: string, 
/**
 * What the server calls it.
 */
name: string, 
/**
 * What it says of it.
 */
description: string | null, } | { "type": "resource", 
/**
 * Where it comes from.
 */
uri: string, 
/**
 * Its type, where given.
 */
mime: string | null, 
/**
 * Its text, where it is text.
 */
text: string | null, 
/**
 * Its size where it is not.
 */
bytes: number, } | { "type": "stored", part: StoredPart, } | { "type": "other", 
/**
 * The kind the server names.
 */
kind: string, };

/**
 * A change that the form of a server is opened with.
 */
export type Correction = { "set": "command", command: string, } | { "set": "arguments", args: Array<string>, } | { "set": "variable", name: string, value: string, } | { "set": "address", url: string, } | { "set": "transport", transport: TransportChoice, };

/**
 * An amount of money.
 */
export type Cost = { currency: Currency, 
/**
 * In millionths of the currency.
 */
amount: number, };

/**
 * What the user's models may cost in some time or one chat. Costs in another currency do not count.
 */
export type CostBudget = { 
/**
 * In millionths of the currency.
 */
limit: number, 
/**
 * US dollars in a budget that was stored without one.
 */
currency: Currency, 
/**
 * Whether models that cost something are not asked once it is used up. Otherwise there is a warning only.
 */
stop: boolean, };

/**
 * What the user's models cost in two times, one amount for each currency.
 */
export type CostsView = { 
/**
 * Since the last midnight where the user is.
 */
day: Array<Cost>, 
/**
 * In the calendar month where the user is.
 */
month: Array<Cost>, };

/**
 * A currency by its three letters in ISO 4217.
 */
export type Currency = string;

/**
 * How much a database holds.
 */
export type DataCounts = { chats: number, 
/**
 * Messages of the user and of models.
 */
messages: number, servers: number, rules: number, 
/**
 * Records of the ledger.
 */
records: number, 
/**
 * When the last record of the ledger was written, in milliseconds since 1970; `None` without one.
 */
newest_ms: number | null, };

/**
 * Whether something may happen. Ordered: of several decisions the largest holds.
 */
export type Decision = "allow" | "ask" | "deny";

/**
 * Why a server does not work, and what to do next.
 */
export type Diagnosis = { cause: FailureCause, step: NextStep, };

/**
 * One member that differs between two definitions.
 */
export type Difference = { 
/**
 * JSON pointer (RFC 6901) into the definition ("/inputSchema/properties/city/description").
 */
path: string, before: string | null, 
/**
 * What stands there now.
 */
after: string | null, };

/**
 * SHA-256 over the canonical form of a value, under a label that names its kind.
 */
export type Digest = string;

/**
 * How a found server compares with those that are added, and with those found before it. Values of variables and
 * headers are not compared.
 */
export type DraftComparison = { "comparison": "new" } | { "comparison": "added", server: ServerId, name: string, 
/**
 * What differs; empty where the two are the same.
 */
differences: Array<DraftPart>, } | { "comparison": "repeated", app: string, };

/**
 * A part of a server in which two drafts can differ.
 */
export type DraftPart = "place" | "command" | "arguments" | "variables" | "folder" | "address" | "transport" | "headers";

/**
 * What is written in a chat but not sent.
 */
export type DraftView = { 
/**
 * `None` for a chat that has not begun.
 */
chat: ChatId | null, text: string, };

/**
 * How a new server at an address is reached.
 */
export type EndpointDraft = { url: string, 
/**
 * Which transport to speak.
 */
transport: TransportChoice, 
/**
 * The headers it is sent, with their values.
 */
headers: Array<EnvPair>, };

/**
 * An entered client id.
 */
export type EnteredClientView = { 
/**
 * Whose it is, exactly as the issuer calls itself.
 */
issuer: string, id: string, 
/**
 * The port of its redirect address, where the issuer insists on one.
 */
port: number | null, };

/**
 * Which entries of the branch that a chat shows are read. A part has a bounded number of them.
 */
export type EntriesPart = { "part": "newest" } | { "part": "before", position: number, } | { "part": "after", position: number, } | { "part": "around", entry: EntryId, };

/**
 * Entries of a chat that follow each other, at one moment.
 */
export type EntriesView = { 
/**
 * The number of the last event that is already in them; apply only later ones on top.
 */
seq: number, entries: Array<EntryView>, 
/**
 * Whether there are entries before the first of them.
 */
earlier: boolean, 
/**
 * Whether there are entries after the last of them.
 */
later: boolean, };

/**
 * What an entry says.
 */
export type EntryBody = { "kind": "user", text: string, 
/**
 * What of servers the user sent along.
 */
attachments: Array<AttachmentView>, } | { "kind": "assistant", 
/**
 * Markdown as far as it has come.
 */
text: string, 
/**
 * What the model thought aloud, where it does.
 */
reasoning: string, model: string, 
/**
 * Whether it is a script and not a model.
 */
scripted: boolean, 
/**
 * How far it is.
 */
state: TextState, 
/**
 * What the round took; `None` where the model's server does not say and the model has no price.
 */
usage?: UsageView, } | { "kind": "call" } & CallBody | { "kind": "built_in_call" } & BuiltInCall | { "kind": "tools_left_out", 
/**
 * The first of them. Empty where all tools are offered again.
 */
tools: Array<ToolLeftOut>, 
/**
 * How many more there are.
 */
more: number, } | { "kind": "compaction" } & Compaction | { "kind": "failure", problem: Problem, 
/**
 * Whether trying again can help.
 */
retryable: boolean, };

/**
 * One entry of a chat: a message of the user or the model, a tool call, a failure.
 */
export type EntryId = string;

/**
 * One entry of a chat.
 */
export type EntryView = { 
/**
 * Our name for it.
 */
id: EntryId, 
/**
 * The chat it belongs to.
 */
chat: ChatId, 
/**
 * Its place, counting up along a branch.
 */
position: number, 
/**
 * When it was made, in milliseconds since 1970.
 */
at_ms: number, 
/**
 * `None` where it is the only version of itself.
 */
versions?: VersionsView, body: EntryBody, };

/**
 * A variable or a header.
 */
export type EnvPair = { name: string, 
/**
 * Its value. It goes to the keychain.
 */
value: string, 
/**
 * Whether the value came with a pasted configuration. A value that the user typed is never shown again.
 */
pasted: boolean, 
/**
 * Takes the value from the proxy and certificate settings of this computer, which no window gets whole.
 */
from_computer?: boolean, };

/**
 * An event with its number.
 */
export type Envelope = { 
/**
 * Counts up by one an event.
 */
seq: number, event: HostEvent, };

/**
 * Which era of the protocol to speak.
 */
export type EraChoice = "auto" | "legacy" | "modern";

/**
 * A part of an excerpt.
 */
export type ExcerptPart = { text: string, 
/**
 * Whether it is what was searched for.
 */
hit: boolean, };

/**
 * A message and, where it was a request, what came back.
 */
export type ExchangeView = { 
/**
 * Counts up by one an exchange.
 */
number: number, 
/**
 * When, in milliseconds since 1970.
 */
at_ms: number, from: Side, 
/**
 * The method; `None` where the message names none.
 */
method: string | null, message: MessageView, 
/**
 * What became of it.
 */
outcome: Outcome, };

/**
 * A file that was written.
 */
export type ExportedFile = { path: string, 
/**
 * How many things are in it.
 */
count: number, };

/**
 * Who says a fact.
 */
export type FactSource = "user" | "server" | "catalogue";

/**
 * What is known of a model; what is left out is not known.
 */
export type FactsView = { 
/**
 * How many tokens it reads, or may be made to read where the user says so.
 */
context?: NumberFact, 
/**
 * Whether it calls tools.
 */
tools?: SwitchFact, 
/**
 * Whether it sees images.
 */
images?: SwitchFact, 
/**
 * Whether it thinks before it answers.
 */
thinking?: SwitchFact, prices?: PricesFact, };

/**
 * A recognised reason why a server did not start, could not be reached or ended.
 */
export type FailureCause = { "cause": "program_missing", program: string, tool: RuntimeTool | null, } | { "cause": "program_elsewhere", program: string, folder: string, } | { "cause": "not_executable", path: string, } | { "cause": "folder_missing", folder: string, } | { "cause": "interpreter_missing", program: string, tool: RuntimeTool | null, } | { "cause": "interpreter_not_there", path: string, } | { "cause": "wrong_format" } | { "cause": "not_permitted" } | { "cause": "no_version_set", manager: string, } | { "cause": "no_yes" } | { "cause": "package_missing", package: string, } | { "cause": "version_missing", package: string, } | { "cause": "versions_conflict" } | { "cause": "wrong_command", command: string, found: string | null, } | { "cause": "registry_unreachable", tool: RuntimeTool, } | { "cause": "not_cached" } | { "cause": "digest_differs" } | { "cause": "cache_not_writable", tool: RuntimeTool, } | { "cause": "disk_full" } | { "cause": "runtime_too_old", tool: RuntimeTool, } | { "cause": "module_missing", module: string, tool: RuntimeTool, } | { "cause": "not_compiled" } | { "cause": "library_missing", library: string, } | { "cause": "docker_not_running" } | { "cause": "docker_not_allowed" } | { "cause": "docker_helper_missing", helper: string, } | { "cause": "image_missing" } | { "cause": "image_other_processor" } | { "cause": "needs_terminal" } | { "cause": "input_not_passed" } | { "cause": "output_not_messages", line: string, } | { "cause": "silent_end" } | { "cause": "npx_silent" } | { "cause": "value_missing", name: string, } | { "cause": "path_missing", path: string, } | { "cause": "arguments_refused" } | { "cause": "port_taken", port: number | null, } | { "cause": "killed" } | { "cause": "crashed", signal: number, } | { "cause": "download_slow", tool: RuntimeTool, } | { "cause": "proxy_in_the_way" } | { "cause": "certificate_unknown_to_program" } | { "cause": "name_unknown", host: string, } | { "cause": "connection_refused", host: string, } | { "cause": "network_unreachable", host: string, } | { "cause": "certificate_refused", host: string, why: CertificateFault, } | { "cause": "not_encrypted", host: string, } | { "cause": "proxy_sign_in" } | { "cause": "sign_in_wanted", host: string, } | { "cause": "key_refused", headers: Array<string>, } | { "cause": "forbidden", host: string, } | { "cause": "nothing_at_path", path: string, } | { "cause": "older_transport" } | { "cause": "form_refused", status: number, } | { "cause": "web_page", host: string, } | { "cause": "moved", to: string, } | { "cause": "host_name_refused" } | { "cause": "asks_to_wait", seconds: number | null, } | { "cause": "server_broken", status: number, } | { "cause": "other_protocol", revision: string, };

/**
 * One thing that is wrong.
 */
export type FieldError = { 
/**
 * The name of the field.
 */
field: string, 
/**
 * What is wrong with it.
 */
problem: FieldProblem, };

/**
 * What may stand in a field.
 */
export type FieldKind = { "kind": "text", min_length: number | null, max_length: number | null, 
/**
 * What it has to look like.
 */
pattern: Pattern | null, 
/**
 * What it is: `email`, `uri`, `date`, `date-time`; others are shown and not checked.
 */
format: string | null, 
/**
 * What the server suggests.
 */
default: string | null, } | { "kind": "number", integer: boolean, minimum: number | null, maximum: number | null, 
/**
 * What the server suggests.
 */
default: number | null, } | { "kind": "boolean", 
/**
 * What the server suggests.
 */
default: boolean | null, } | { "kind": "choice", 
/**
 * What there is to choose from.
 */
options: Array<ChoiceOption>, 
/**
 * What the server suggests.
 */
default: string | null, } | { "kind": "choices", 
/**
 * What there is to choose from.
 */
options: Array<ChoiceOption>, min_items: number | null, max_items: number | null, 
/**
 * What the server suggests.
 */
default: Array<string>, };

/**
 * What can be wrong with the value of a field.
 */
export type FieldProblem = { "problem": "missing" } | { "problem": "foreign" } | { "problem": "too_short", 
/**
 * How many it wants.
 */
least: number, } | { "problem": "too_long", 
/**
 * How many it wants at most.
 */
most: number, } | { "problem": "pattern", pattern: string, } | { "problem": "format", 
/**
 * The format's name in the protocol.
 */
format: string, } | { "problem": "not_a_number" } | { "problem": "not_whole" } | { "problem": "too_small", 
/**
 * What it wants at least.
 */
least: number, } | { "problem": "too_large", 
/**
 * What it wants at most.
 */
most: number, } | { "problem": "no_option" } | { "problem": "too_few", 
/**
 * How many it wants.
 */
least: number, } | { "problem": "too_many", 
/**
 * How many it wants at most.
 */
most: number, };

/**
 * Where files are that the user drags.
 */
export type FileDrag = "over" | "left" | "dropped";

/**
 * How a launch uses a file.
 */
export type FileRole = "program" | "interpreter" | "argument";

/**
 * What came of files that the user picked, dropped or pasted for a chat.
 */
export type FilesAttached = { 
/**
 * What waits to be sent now, in the order of the files.
 */
attached: Array<AttachmentView>, 
/**
 * Why each of the others was refused.
 */
refused: Array<Problem>, 
/**
 * Why some of those that wait do not survive the end of the application.
 */
not_kept: Array<Problem>, 
/**
 * The paths of folders among them, which can be added to a workspace instead.
 */
folders: Array<string>, };

/**
 * A value that the author of a configuration left to the user.
 */
export type FillIn = { 
/**
 * Unique within its server.
 */
name: string, kind: FillKind, 
/**
 * Whether the server cannot be added without it: it is part of a command or an address.
 */
required: boolean, 
/**
 * Whether its author says that the server works without it. A variable or header that lacks it is left out.
 */
optional: boolean, 
/**
 * What the author says of it.
 */
hint: string | null, 
/**
 * What the author shows as an example; it is no value.
 */
example: string | null, 
/**
 * The value that the author proposes; empty without one.
 */
value: string, 
/**
 * The only values it may have; empty where any is possible.
 */
choices: Array<string>, };

/**
 * How a value is entered.
 */
export type FillKind = "text" | "secret" | "path" | "switch";

/**
 * Many questions on one card.
 */
export type Flood = { 
/**
 * What they are for.
 */
asking: Asking, 
/**
 * How often the server asked within a minute. Moves on while the card stands; a yes does not depend on it.
 */
asked: number, 
/**
 * How many were put off unread, because enough wait. Moves on as well.
 */
turned_away: number, 
/**
 * How many wait for this card's answer.
 */
waiting: number, 
/**
 * What every single one of them asks, where that is the same.
 */
alike: QuestionBody | null, 
/**
 * What they are, the most frequent first; all words are the server's.
 */
groups: Array<FloodGroup>, };

/**
 * Questions that ask exactly the same.
 */
export type FloodGroup = { 
/**
 * What they ask, in the server's words: the name of a tool, the message of a form, the host of a page.
 */
words: string, 
/**
 * How many there are.
 */
count: number, };

/**
 * What holds whatever the rules say.
 */
export type Floor = "definition_changed" | "claims_destructive" | "carries_values" | "too_much_to_check" | "own_data" | "paths_unchecked" | "written_as_text";

/**
 * A folder and what is known of it.
 */
export type FolderFacts = { path: string, 
/**
 * The address the server would be given.
 */
uri: string, 
/**
 * The name of its workspace; empty for the one every chat begins in.
 */
workspace: string, 
/**
 * How many files are in it and below, as far as was counted.
 */
files: number, 
/**
 * Their size in bytes.
 */
bytes: number, 
/**
 * Whether everything was counted; otherwise there is more.
 */
whole: boolean, 
/**
 * Whether it holds a Git repository.
 */
repository: boolean, 
/**
 * Files in it whose names are those of secrets, by their path inside it.
 */
secrets: Array<string>, 
/**
 * How many more of them there are.
 */
more_secrets: number, 
/**
 * Whether it is very wide.
 */
reach: FolderReach, 
/**
 * Why it cannot be shared now.
 */
trouble: FolderTrouble | null, 
/**
 * Whether this server knows it already.
 */
shared: boolean, 
/**
 * The names of other servers that know it.
 */
others: Array<string>, 
/**
 * Whether it is picked when the card appears.
 */
picked: boolean, };

/**
 * What the user picked.
 */
export type FolderPick = { 
/**
 * The paths of the folders the server may know of, from those on offer.
 */
folders: Array<string>, };

/**
 * How much a folder spans.
 */
export type FolderReach = "folder" | "home" | "disk";

/**
 * Why a folder is not what it was.
 */
export type FolderTrouble = "gone" | "unreadable" | "replaced";

/**
 * A folder of a workspace.
 */
export type FolderView = { path: string, 
/**
 * Why it cannot be used now.
 */
trouble: FolderTrouble | null, 
/**
 * Who may know of it.
 */
shares: Array<ShareView>, };

/**
 * A form, in the order the server gave its fields. All texts are the server's.
 */
export type Form = { message: string, fields: Array<FormField>, };

export type FormField = { 
/**
 * Its name in the answer.
 */
name: string, 
/**
 * The name to show.
 */
title: string | null, 
/**
 * What is to be entered.
 */
description: string | null, 
/**
 * Whether the form cannot be sent without it.
 */
required: boolean, 
/**
 * It looks as if it asked for a password, a key or a card, which no form may.
 */
secret: boolean, 
/**
 * A value the server suggests and its own rules do not allow, as text; it is not filled in.
 */
broken_default: string | null, 
/**
 * What kind of value it takes.
 */
kind: FieldKind, };

/**
 * A part of the form of a server.
 */
export type FormPart = "command" | "arguments" | "variables" | "folder" | "address" | "headers" | "transport";

/**
 * A tool that was found.
 */
export type FoundTool = { server: ServerId, 
/**
 * The user's name for the server then.
 */
server_name: string, tool: string, };

/**
 * A server that a registry lists.
 */
export type GalleryEntry = { 
/**
 * Unique in its registry together with the version.
 */
name: string, version: string, title: string | null, description: string, publisher: GalleryPublisher, 
/**
 * Whether its publisher or the registry advises against it.
 */
deprecated: boolean, 
/**
 * Why it is deprecated, in the words of its publisher or the registry.
 */
status_message: string | null, 
/**
 * Where its publisher says that the code is.
 */
repository: string | null, website: string | null, 
/**
 * What it consists of, in the order of its publisher.
 */
packages: Array<GalleryPackage>, 
/**
 * What can be added, each package and address by itself.
 */
servers: ParsedServers, };

/**
 * A way to run or reach a server.
 */
export type GalleryPackage = { kind: PackageKind, 
/**
 * The name of the package, or the address.
 */
name: string, version: string | null, 
/**
 * Where it is downloaded, for a bundle that can be compared with a digest.
 */
bundle: BundleOffer | null, };

/**
 * A page of a registry's list.
 */
export type GalleryPage = { 
/**
 * The host that was asked.
 */
host: string, entries: Array<GalleryEntry>, 
/**
 * Asks for the next page; nothing at the end of the list.
 */
next: string | null, left_out: LeftOutEntries, };

/**
 * The registry did not answer as its schema says, or lists something that cannot be added.
 */
export type GalleryProblem = { "problem": "registry_unreachable", host: string, detail: string, } | { "problem": "registry_slow", host: string, seconds: number, } | { "problem": "registry_too_large", host: string, limit_mb: number, } | { "problem": "registry_moved", host: string, to: string, } | { "problem": "registry_refused", host: string, status: number, detail: string, } | { "problem": "registry_unreadable", host: string, detail: string, } | { "problem": "package_unfit", package: string, fault: PackageFault, };

/**
 * Who had to be in control of the namespace to publish under a name, by the rules of the official registry.
 */
export type GalleryPublisher = { "publisher": "github_account", account: string, } | { "publisher": "domain", domain: string, } | { "publisher": "unknown" };

/**
 * A text with a command to copy. The command is ours; of foreign data it holds at most a number.
 */
export type Guide = { "guide": "install", tool: RuntimeTool, } | { "guide": "cache_owner", tool: RuntimeTool, } | { "guide": "modules", tool: RuntimeTool, } | { "guide": "build_tools" } | { "guide": "docker_start" } | { "guide": "docker_group" } | { "guide": "port", port: number, };

/**
 * Whether the file is the newest there was, as the keychain remembers it.
 */
export type HeadState = { "state": "continues" } | { "state": "first" } | { "state": "unknown" } | { "state": "older", 
/**
 * The last record there was.
 */
remembered: number, 
/**
 * The last record there is.
 */
found: number, } | { "state": "rewritten", seq: number, };

/**
 * An argument that is also sent as an HTTP header.
 */
export type HeaderArgument = { 
/**
 * The names to follow from the top.
 */
at: Array<string>, header: string, };

/**
 * An extra header as a user writes it.
 */
export type HeaderDraft = { name: string, 
/**
 * `None` leaves the value that is kept.
 */
value: string | null, };

/**
 * What is held of a sign-in.
 */
export type HeldSignIn = { 
/**
 * Who signed the user in.
 */
issuer: string, 
/**
 * What the access is bound to.
 */
resource: string, 
/**
 * Scopes granted, if the issuer reported them.
 */
scopes: Array<string>, 
/**
 * When it ends, in milliseconds since 1970, if the issuer reported it.
 */
ends_ms: number | null, 
/**
 * Whether it is renewed without the user.
 */
renewable: boolean, };

/**
 * Who said what was found.
 */
export type HitSpeaker = { "who": "user" } | { "who": "model" } | { "who": "tool", name: string, };

export type HostEvent = { "event": "chat", chat: ChatView, } | { "event": "chat_gone", chat: ChatId, } | { "event": "entry", entry: EntryView, 
/**
 * Whether it is new, at the end of the branch that its chat shows. One that only changed may be of another
 * branch.
 */
added: boolean, } | { "event": "branch", chat: ChatId, } | { "event": "entry_gone", chat: ChatId, entry: EntryId, } | { "event": "words", chat: ChatId, entry: EntryId, 
/**
 * What is added to its text.
 */
text: string, 
/**
 * What is added to its reasoning.
 */
reasoning: string, } | { "event": "server", server: ServerView, } | { "event": "server_gone", server: ServerId, } | { "event": "tools", server: ServerId, } | { "event": "offers", server: ServerId, } | { "event": "files_dragged", now: FileDrag, } | { "event": "attachments_changed", 
/**
 * Which, sent or not.
 */
attachments: Array<AttachmentId>, } | { "event": "ledger_checked", 
/**
 * What that came to.
 */
check: LedgerCheck, } | { "event": "rows", rows: RowsView, } | { "event": "log", server: ServerId, } | { "event": "rules" } | { "event": "waiting", waiting: Array<WaitingView>, } | { "event": "answered", question: QuestionId, end: ChangeEnd, } | { "event": "muted", muted: Array<MutedView>, } | { "event": "models", connections: Array<ConnectionView>, models: Array<ModelView>, } | { "event": "workspaces", workspaces: Array<WorkspaceView>, } | { "event": "settings", settings: Settings, } | { "event": "profiles", profiles: Array<ToolProfile>, } | { "event": "costs", costs: CostsView, } | { "event": "chat_asked", chat: ChatId, } | { "event": "close_asked", 
/**
 * How many chats are at work.
 */
chats: number, 
/**
 * How many requests wait.
 */
requests: number, };

/**
 * A message to the consent window.
 */
export type InboxMessage = { "message": "kept", kept: Array<SavedInput>, } | { "message": "state" } & InboxState | { "message": "guard", question: QuestionId, 
/**
 * For how long, in milliseconds.
 */
ms: number, } | { "message": "show", question: QuestionId, } | { "message": "hidden" };

/**
 * The consent window's whole state.
 */
export type InboxState = { questions: Array<Question>, 
/**
 * What is not asked because the user has muted it.
 */
muted: Array<MutedView>, 
/**
 * For appearance and language.
 */
settings: Settings, };

/**
 * What the user entered or picked cannot be used as it is.
 */
export type InputProblem = { "problem": "variables_missing", names: Array<string>, } | { "problem": "too_many_attachments", limit: number, } | { "problem": "attachments_too_large", limit_mb: number, } | { "problem": "file_unreadable", file: string, detail: string, } | { "problem": "file_not_regular", file: string, } | { "problem": "file_too_large", file: string, limit_kb: number, } | { "problem": "file_kind_unknown", file: string, } | { "problem": "pdf_encrypted", file: string, } | { "problem": "pdf_damaged", file: string, } | { "problem": "pdf_without_text", file: string, } | { "problem": "pdf_too_long", file: string, limit_kb: number, } | { "problem": "pdf_too_complex", file: string, } | { "problem": "picture_too_large", file: string, limit_megapixels: number, } | { "problem": "picture_damaged", name: string, } | { "problem": "link_not_in_answer", address: string, } | { "problem": "clipboard_without_picture" } | { "problem": "model_without_pictures" } | { "problem": "secrets_missing", names: Array<string>, } | { "problem": "json_broken", line: number, column: number, detail: string, } | { "problem": "json_without_servers" } | { "problem": "config_broken", format: string, line: number, column: number, detail: string, } | { "problem": "config_unknown" } | { "problem": "config_too_long", limit_kb: number, } | { "problem": "config_unreadable", detail: string, } | { "problem": "servers_too_many", found: number, limit: number, } | { "problem": "link_broken", detail: string, } | { "problem": "command_line_shell", part: string, } | { "problem": "entry_foreign", kind: string, } | { "problem": "entry_doubled", name: string, } | { "problem": "entry_unreadable", detail: string, } | { "problem": "rules_unreadable", detail: string, } | { "problem": "chat_file_too_large", file: string, limit_mb: number, } | { "problem": "chat_file_unreadable", file: string, detail: string, } | { "problem": "chat_file_unknown", file: string, } | { "problem": "chat_file_packed", file: string, } | { "problem": "chat_file_newer", file: string, found: number, known: number, } | { "problem": "backup_foreign", file: string, } | { "problem": "backup_newer", file: string, found: number, known: number, } | { "problem": "backup_damaged", file: string, detail: string, } | { "problem": "rule_unkeepable", detail: string, } | { "problem": "name_missing" } | { "problem": "model_name_invalid", name: string, } | { "problem": "model_file_unusable", file: string, detail: string, } | { "problem": "name_taken", name: string, } | { "problem": "name_alike", name: string, other: string, } | { "problem": "profiles_too_many", limit: number, } | { "problem": "tools_off_too_many", limit: number, } | { "problem": "command_missing" } | { "problem": "command_line_unclosed" } | { "problem": "address_missing" } | { "problem": "header_invalid", name: string, } | { "problem": "address_invalid", url: string, detail: string, } | { "problem": "address_deceives", origin: string, warnings: Array<UrlWarning>, } | { "problem": "file_not_kept", file: string, detail: string, } | { "problem": "chat_busy" } | { "problem": "gone" } | { "problem": "too_long", limit_kb: number, };

/**
 * A sign-in provider that Vestibule is about to ask how it signs users in. Nothing was sent to it yet.
 */
export type IssuerLookUp = { 
/**
 * Who signs the user in, as the server says.
 */
issuer: UrlInspection, 
/**
 * Whose that is, seen from the server.
 */
site: IssuerSite, 
/**
 * The proxy between, which finds out where the name leads.
 */
proxy: string | null, };

/**
 * Whose the issuer is, seen from the server.
 */
export type IssuerSite = "same" | "other" | "this_computer";

export type JsonValue = number | string | boolean | Array<JsonValue> | { [key in string]: JsonValue } | null;

/**
 * A language of the interface.
 */
export type Language = "system" | "en" | "zh-CN";

/**
 * What is done with a result that is too long to be given whole without asking.
 */
export type LargeResults = "part" | "ask";

/**
 * The last event so far; number 0 where there was none.
 */
export type LastEvent = { seq: number, };

/**
 * What will be started.
 */
export type Launch = { 
/**
 * The executable's full path.
 */
program: string, 
/**
 * The command as it was written, where it differs from the path.
 */
command: string, 
/**
 * Every argument, in order.
 */
args: Array<string>, 
/**
 * The folder it starts in.
 */
folder: string, 
/**
 * The variables it is given.
 */
variables: Array<NamedValue>, 
/**
 * The files whose bytes a permission is bound to, the program first.
 */
files: Array<BoundFile>, 
/**
 * What will run and is not bound. With any of these the card offers no lasting permission.
 */
gaps: Array<LaunchGap>, 
/**
 * Whether it loads further files or packages that no permission is bound to.
 */
loads_more: boolean, 
/**
 * What deserves a second look.
 */
risks: Array<LaunchRisk>, 
/**
 * Why it is asked although it was allowed for longer.
 */
change: LaunchChange | null, 
/**
 * Whether it serves a model of the user. Then it ends when it is idle, and each start is asked.
 */
serves_model?: boolean, 
/**
 * The package of `npx` or `uvx`, where the command line is understood.
 */
package?: LaunchPackage, };

/**
 * Why a launch is asked although one was allowed for longer.
 */
export type LaunchChange = { "change": "binds_more" } | { "change": "runners_updated", runners: Array<string>, } | { "change": "changed", 
/**
 * What; empty where the earlier record is not known.
 */
parts: Array<LaunchPart>, };

/**
 * Code that will run and that a permission cannot be bound to.
 */
export type LaunchGap = { kind: LaunchGapKind, 
/**
 * What it is: a path, a package, an image, a word of the command; empty where there is no name for it.
 */
what: string, };

/**
 * Why code that will run is not bound.
 */
export type LaunchGapKind = "too_large" | "unreadable" | "folder" | "too_many_files" | "unpinned_package" | "floating_dependencies" | "image_by_tag" | "not_a_file" | "other_programs" | "unknown_interpreter";

/**
 * The package that a launch starts from.
 */
export type LaunchPackage = { name: string, 
/**
 * The version, range or tag that the command line asks for; empty where it is the newest.
 */
wanted: string, state: PackageState, };

/**
 * A part of a launch that differs.
 */
export type LaunchPart = { "part": "program" } | { "part": "interpreter", 
/**
 * The one it is run by now.
 */
path: string, } | { "part": "file", path: string, } | { "part": "arguments" } | { "part": "folder" } | { "part": "variables", names: Array<string>, } | { "part": "search_path" } | { "part": "package", name: string, version: string, };

/**
 * A form of starting that can do more than it seems to.
 */
export type LaunchRisk = "acts_on_every_program" | "variable_changes_code" | "inline_code" | "unpinned_package" | "other_package_source" | "reaches_further" | "hidden_characters";

/**
 * What was done to the ledger. The number of the record is certain; where someone did several things at once, the kind
 * is the simplest explanation of the first.
 */
export type LedgerBreak = "altered" | "missing" | "inserted" | "reordered" | "truncated" | "words" | "forged" | "head_missing";

/**
 * What checking the ledger found.
 */
export type LedgerCheck = { "found": "intact", 
/**
 * How many there are.
 */
records: number, 
/**
 * How long that took, in milliseconds.
 */
took_ms: number, 
/**
 * How far it is signed.
 */
signed: LedgerSigned, } | { "found": "broken", 
/**
 * The first record at which it shows.
 */
seq: number, 
/**
 * What was done there.
 */
what: LedgerBreak, };

/**
 * How a ledger differs from what the keychain remembers.
 */
export type LedgerDoubt = { "doubt": "older", 
/**
 * The number of the remembered record.
 */
remembered: number, 
/**
 * The number of the last record that is there.
 */
found: number, } | { "doubt": "rewritten", seq: number, };

/**
 * Some records, newest first.
 */
export type LedgerPage = { records: Array<LedgerView>, 
/**
 * Whether there may be older ones.
 */
more: boolean, 
/**
 * The newest number of all.
 */
newest: number, 
/**
 * Whether the file is the newest there was.
 */
head: HeadState, 
/**
 * Every removed server that records speak of, the last removed first.
 */
removed: Array<RemovedServerView>, };

/**
 * Which records to show.
 */
export type LedgerQuery = { 
/**
 * Only records before this one.
 */
before: number | null, 
/**
 * Only of this server.
 */
server: ServerId | null, 
/**
 * Only of this object, for example a tool.
 */
object: string | null, 
/**
 * Only of these kinds (`intent`, `outcome`, `decision`, `grant`, `revoke`, `config`); none means all.
 */
kinds: Array<string>, 
/**
 * Only what says each of these words somewhere, or is of a server with the word in its name.
 */
words: string, 
/**
 * Only what names this file, or one below it: an absolute path.
 */
file: string | null, 
/**
 * Only what names this host or one of its subdomains; an address is taken for its host.
 */
host: string | null, 
/**
 * Only what was written at this time or later, in milliseconds since 1970.
 */
since_ms: number | null, 
/**
 * Only what was written before this time, in milliseconds since 1970.
 */
until_ms: number | null, };

/**
 * How far a ledger is signed with the key in this computer's keychain.
 */
export type LedgerSigned = { 
/**
 * How many checkpoints hold.
 */
checkpoints: number, 
/**
 * The last record they cover, through all before it.
 */
through: number | null, 
/**
 * How many were signed with keys that are not here.
 */
of_other_keys: number, };

export type LedgerView = { seq: number, 
/**
 * When it was written, in milliseconds since 1970.
 */
at_ms: number, 
/**
 * What kind of thing it speaks of.
 */
kind: string, 
/**
 * The server, which may be gone.
 */
server: ServerId | null, 
/**
 * The chat, which may be gone.
 */
chat: ChatId | null, 
/**
 * What was done (`tool.call`).
 */
action: string, 
/**
 * What it was done to.
 */
object: string, decision: string | null, because: Array<Because>, 
/**
 * The files and hosts it names, until they are deleted with its chat or server.
 */
names: Array<Named>, 
/**
 * Digests and sizes; never the values.
 */
body: JsonValue, 
/**
 * Its hash, which stands for every record before it too.
 */
hash: string, };

/**
 * How many entries of a page are not shown, by reason.
 */
export type LeftOutEntries = { 
/**
 * The registry deleted them.
 */
deleted: number, 
/**
 * They are older versions, or stand twice on the page.
 */
repeated: number, 
/**
 * They are not in the form of the registry's schema.
 */
unreadable: number, 
/**
 * They stand behind the most that one page may have.
 */
beyond: number, };

/**
 * Why a model was not offered a tool.
 */
export type LeftOutReason = { "why": "not_read", detail: string, } | { "why": "no_room", most: number, kilobytes: number, } | { "why": "invalid_schema", detail: string, };

/**
 * A model of a listing.
 */
export type ListedModelView = { 
/**
 * Its name at the connection, in the words of its server.
 */
name: string, facts: FactsView, };

/**
 * A local model as a user sets it up.
 */
export type LocalModelDraft = { 
/**
 * The whole path of a GGUF file.
 */
file: string, 
/**
 * The program that serves it; empty looks for `llama-server` where programs are.
 */
program: string, };

/**
 * How a program that serves a model is.
 */
export type LocalModelState = { "state": "stopped", problem: Problem | null, } | { "state": "starting" } | { "state": "running" };

/**
 * A model file and the user's own program that serves it.
 */
export type LocalModelView = { 
/**
 * The program, as the user gave it.
 */
program: string, 
/**
 * The path of the model file.
 */
file: string, state: LocalModelState, };

/**
 * A model server found on this computer.
 */
export type LocalModels = { name: string, 
/**
 * How to speak to it.
 */
wire: ModelWire, base_url: string, 
/**
 * The models it offers.
 */
models: Array<string>, };

/**
 * How grave a log message is, least first.
 */
export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/**
 * One line of a server's log.
 */
export type LogLine = { 
/**
 * Counts up by one a line.
 */
number: number, 
/**
 * When, in milliseconds since 1970.
 */
at_ms: number, 
/**
 * Whose words these are.
 */
source: LogSource, 
/**
 * The level a log message names ("info", "error").
 */
level: string | null, 
/**
 * The line; control characters made visible.
 */
text: string, };

/**
 * The log from some line on.
 */
export type LogPage = { lines: Array<LogLine>, 
/**
 * How many older lines were dropped since the server was added.
 */
dropped: number, };

/**
 * Whose words a log line holds.
 */
export type LogSource = "stderr" | "message" | "host";

/**
 * A message as it was on the wire.
 */
export type MessageView = { text: string, 
/**
 * How long it is as a whole, in bytes.
 */
bytes: number, 
/**
 * Whether `text` is all of it.
 */
whole: boolean, };

/**
 * The definitions of one server in a request.
 */
export type MeterTools = { 
/**
 * `None` for the application's own tools.
 */
server: ServerId | null, server_name: string, 
/**
 * How many of its tools are offered.
 */
count: number, tokens: number, };

/**
 * The parts of the next request of a chat. All tokens are estimated, and corrected where the model reported how many an
 * earlier request had.
 */
export type MeterView = { 
/**
 * How many tokens the model reads, as far as that is known.
 */
context: number | null, 
/**
 * What comes before the chat: how tools are used, and what servers say of theirs.
 */
instructions: number, 
/**
 * The definitions of tools, by server.
 */
tools: Array<MeterTools>, 
/**
 * Results of tools, without pictures.
 */
results: number, 
/**
 * What the user and the model said, with calls and attachments.
 */
talk: number, pictures: number, 
/**
 * The sum of the parts.
 */
total: number, 
/**
 * How many tokens the newest reply of this model read, as it reported; `None` where it reported nothing that can
 * be believed, and the parts are then not corrected.
 */
reported: number | null, };

/**
 * A model as a user describes it. What is `None` is left to its server and the catalogue.
 */
export type ModelDraft = { id: ModelId, 
/**
 * What to call it; empty takes the model's own name.
 */
label: string, 
/**
 * The model's name at its connection.
 */
model: string, 
/**
 * What a million tokens read cost, in millionths of the user's currency.
 */
price_in: number | null, 
/**
 * What a million tokens written cost.
 */
price_out: number | null, 
/**
 * What a million tokens read from the vendor's cache cost.
 */
price_cached: number | null, 
/**
 * The most tokens it may be made to read.
 */
context: number | null, tools: boolean | null, images: boolean | null, thinking: boolean | null, };

/**
 * A model the user set up.
 */
export type ModelId = string;

/**
 * What a model is.
 */
export type ModelKind = { "kind": "rehearsal" } | { "kind": "remote", connection: ConnectionId, 
/**
 * The address of its connection.
 */
base_url: string, 
/**
 * The model's name there.
 */
model: string, };

/**
 * The models a connection offers.
 */
export type ModelListingView = { models: Array<ListedModelView>, 
/**
 * Whether there are more than are shown.
 */
cut: boolean, 
/**
 * How long the answer took, in milliseconds.
 */
took_ms: number, };

/**
 * A model could not be reached, or its answer could not be used.
 */
export type ModelProblem = { "problem": "model_unreachable", endpoint: string, detail: string, } | { "problem": "model_unauthorized", endpoint: string, } | { "problem": "model_key_over_http", endpoint: string, } | { "problem": "model_missing", endpoint: string, model: string, 
/**
 * The words of the model's server. Left out where it gave none, as it was before they were kept.
 */
detail?: string, } | { "problem": "model_busy", retry_after_s: number | null, 
/**
 * The words of the model's server. Left out where it gave none, as it was before they were kept.
 */
detail?: string, } | { "problem": "model_refused", status: number, detail: string, } | { "problem": "chat_too_long", detail: string, } | { "problem": "model_cut" } | { "problem": "answer_empty", reason: string | null, } | { "problem": "answer_withheld" } | { "problem": "longest_answer", tokens: number, } | { "problem": "model_reads_only", tokens: number, settable: boolean, } | { "problem": "model_takes_no_tools", model: string, } | { "problem": "model_timed_out", seconds: number, } | { "problem": "model_ran_too_long", minutes: number, } | { "problem": "model_too_large", megabytes: number, } | { "problem": "model_malformed", detail: string, } | { "problem": "model_gone" } | { "problem": "budget_used_up", 
/**
 * Left out for a month, as it was before there were other budgets.
 */
scope?: BudgetScope, 
/**
 * Left out for US dollars.
 */
currency?: Currency, spent: number, limit: number, } | { "problem": "too_many_rounds", rounds: number, };

/**
 * A model at an address.
 */
export type ModelSummary = { 
/**
 * The user's name for it.
 */
label: string, 
/**
 * Its name at the address.
 */
model: string, address: UrlInspection, 
/**
 * The proxy everything goes through, where there is one.
 */
proxy: string | null, };

/**
 * A model the user can pick.
 */
export type ModelView = { 
/**
 * Our name for it.
 */
id: ModelId, 
/**
 * What to call it.
 */
label: string, kind: ModelKind, 
/**
 * Whether it stands before the others.
 */
favourite: boolean, facts: FactsView, };

/**
 * The vendors' interfaces a model can be spoken to over.
 */
export type ModelWire = "chat_completions" | "responses" | "anthropic" | "gemini" | "ollama" | "azure";

/**
 * What adding models to a connection did.
 */
export type ModelsAdded = { 
/**
 * The new models, which exist only once the change is made.
 */
models: Array<ModelId>, 
/**
 * Whether it is made.
 */
change: ChangeOutcome, };

/**
 * Chats that would move to another workspace.
 */
export type MoveChats = { 
/**
 * Their titles; empty where one has none.
 */
chats: Array<string>, from: WorkspaceSummary, 
/**
 * Where they would be.
 */
to: WorkspaceSummary, 
/**
 * Whether they move because their workspace is removed.
 */
removes: boolean, 
/**
 * Permissions that hold there and not here.
 */
allowed: Array<ServerRule>, 
/**
 * Refusals that hold here and not there.
 */
refused: Array<ServerRule>, };

/**
 * Questions of one kind that a server asks and that are not shown.
 */
export type MutedView = { server: ServerId, 
/**
 * The user's name for it.
 */
name: string, asking: Asking, 
/**
 * Until when, in milliseconds since 1970; `None` until they are taken back.
 */
until_ms: number | null, };

/**
 * A file or host that a server's records name.
 */
export type NameSeen = { named: Named, 
/**
 * How many records name it.
 */
records: number, };

/**
 * Something outside that a value names.
 */
export type Named = { "what": "file", "name": string } | { "what": "host", "name": string };

/**
 * A variable of a program or a header of an address.
 */
export type NamedValue = { name: string, 
/**
 * What a variable of this name can change; `None` for an ordinary one, and for a header.
 */
effect: VariableEffect | null, 
/**
 * What the card shows of its value.
 */
value: ValueDisplay, };

/**
 * What the button of a diagnosis does.
 */
export type NextStep = { "step": "guide", guide: Guide, } | { "step": "edit", part: FormPart, corrections: Array<Correction>, } | { "step": "sign_in" } | { "step": "log" } | { "step": "retry" };

/**
 * Why a chat has no summary of its older part.
 */
export type NoSummary = { "reason": "empty" } | { "reason": "too_long" } | { "reason": "failed", problem: Problem, } | { "reason": "not_asked" };

/**
 * A number with its source.
 */
export type NumberFact = { value: number, source: FactSource, };

/**
 * What a server offers besides tools. All of it is the server's words.
 */
export type OffersView = { 
/**
 * What can be read.
 */
resources: Array<ResourceView>, 
/**
 * Patterns of more that can be read.
 */
templates: Array<TemplateView>, 
/**
 * What can be expanded.
 */
prompts: Array<PromptView>, 
/**
 * It proposes values while a user writes.
 */
completes: boolean, 
/**
 * It tells when something that was read changes.
 */
watches: boolean, 
/**
 * It declares the `logging` capability and accepts `logging/setLevel`.
 */
logs: boolean, 
/**
 * From which level up it was asked to log; `None` before it was first asked.
 */
log_level: LogLevel | null, };

/**
 * Why members of a configuration are not taken over.
 */
export type OmitReason = "permission" | "sandbox" | "program" | "file" | "sign_in" | "tool_choice" | "switched_off" | "unset" | "other";

/**
 * Members of a configuration that are not taken over, for one reason.
 */
export type Omitted = { reason: OmitReason, 
/**
 * As they are written; the parts of a nested one with dots between.
 */
names: Array<string>, };

/**
 * Arguments of a command line that stand there together or not at all.
 */
export type OptionalWords = { 
/**
 * The place of the first one among the arguments.
 */
first: number, 
/**
 * How many there are.
 */
count: number, 
/**
 * The names of their values. While one of them is empty, the arguments are left out.
 */
fills: Array<string>, };

/**
 * What became of a message.
 */
export type Outcome = { "outcome": "told" } | { "outcome": "waiting" } | { "outcome": "answered", 
/**
 * With the error of the protocol rather than a result.
 */
is_error: boolean, 
/**
 * How long it took, in milliseconds.
 */
took_ms: number, answer: MessageView, } | { "outcome": "unanswered", detail: string, 
/**
 * After how long, in milliseconds.
 */
took_ms: number, };

/**
 * A package of the dependencies that would change.
 */
export type PackageChange = { name: string, 
/**
 * Its versions now; empty where it would be added.
 */
before: string, 
/**
 * Its versions then; empty where it would be removed.
 */
after: string, };

/**
 * Why a package of a registry cannot be added.
 */
export type PackageFault = "name" | "version" | "digest" | "bundle";

/**
 * Where a package comes from.
 */
export type PackageKind = "npm" | "pypi" | "nuget" | "oci" | "bundle" | "remote" | "other";

/**
 * What starting does with a package.
 */
export type PackageState = { "state": "to_fetch", 
/**
 * The program that downloads it: npm or uv.
 */
tool: string, } | { "state": "fetched", 
/**
 * The exact version that was fetched.
 */
version: string, 
/**
 * How many packages it is with all that it depends on.
 */
packages: number, 
/**
 * SHA-256 of the lock file in hexadecimal digits.
 */
lock: string, } | { "state": "bundle", 
/**
 * SHA-256 of the archive in hexadecimal digits.
 */
sha256: string, } | { "state": "left_to_runner" };

/**
 * What another version of a downloaded package would change.
 */
export type PackageUpdate = { package: string, 
/**
 * The exact version it starts from now.
 */
before: string, 
/**
 * The exact version it would start from.
 */
after: string, 
/**
 * Every package that would be added, removed or have another version, by name.
 */
changes: Array<PackageChange>, 
/**
 * The packages of the new version that run scripts while they are installed. With any of these the package is left
 * to `npx`.
 */
scripts: Array<string>, 
/**
 * Who may publish the new version, as the registry lists them; empty where it does not say.
 */
maintainers: Array<string>, 
/**
 * Those among them who could not publish the version before, where the registry says who could.
 */
new_maintainers: Array<string>, };

/**
 * The downloaded package that a server starts from.
 */
export type PackageView = { name: string, 
/**
 * The exact version that was fetched.
 */
version: string, 
/**
 * How far the download of another version is.
 */
update?: UpdateProgress, };

export type Page = { 
/**
 * Why, in the server's words; empty for a link.
 */
message: string, 
/**
 * The address, taken apart.
 */
address: UrlInspection, source: PageSource, };

/**
 * Where the address of a page comes from.
 */
export type PageSource = { "from": "server", 
/**
 * Whose it is, seen from that server.
 */
relation: Relation, } | { "from": "answer", model: string, };

/**
 * An entry of a pasted configuration that can be added.
 */
export type ParsedServer = { 
/**
 * Each value of `fills` stands in it as `${name}`.
 */
draft: ServerDraft, 
/**
 * The values that its author left to the user.
 */
fills: Array<FillIn>, 
/**
 * Arguments that are left out while a value of theirs is empty.
 */
optional: Array<OptionalWords>, 
/**
 * Members of its entry that are not taken over.
 */
omitted: Array<Omitted>, 
/**
 * The folder of the project that the entry was for, where it was for one.
 */
project: string | null, 
/**
 * The program that was written to reach the address ("mcp-remote"), where the address replaces it.
 */
bridge: string | null, 
/**
 * False where the entry was switched off, or is another way to run a server that is there already.
 */
chosen: boolean, };

/**
 * What a pasted configuration holds.
 */
export type ParsedServers = { 
/**
 * What can be added.
 */
servers: Array<ParsedServer>, 
/**
 * What cannot, and why.
 */
skipped: Array<SkippedServer>, 
/**
 * Members beside the servers that say something about them and are not taken over.
 */
omitted: Array<Omitted>, 
/**
 * The variables among the servers that decide what runs, by name.
 */
effects: { [key in string]: VariableEffect }, };

/**
 * A path in the arguments of a call.
 */
export type PathFinding = { 
/**
 * Where in the arguments, member by member.
 */
at: Array<string>, value: string, 
/**
 * Where that leads, with links followed.
 */
place: string, };

/**
 * A regular expression a text has to match somewhere.
 */
export type Pattern = { 
/**
 * As the server wrote it.
 */
source: string, 
/**
 * Whether it is checked. One that is too large, or that needs an engine which can hang, is only shown, and so is
 * one of a form with too many.
 */
checked: boolean, };

/**
 * Why a model was picked.
 */
export type PickReason = { "because": "hint", hint: string, } | { "because": "priority", 
/**
 * What that is first of all.
 */
first: SamplePriority, } | { "because": "usual" } | { "because": "only" };

/**
 * Where a picture is.
 */
export type PicturePlace = { "of": "result", entry: EntryId, 
/**
 * Its index in the content of the result.
 */
part: number, } | { "of": "message", entry: EntryId, attachment: AttachmentId, 
/**
 * Its index in what is attached.
 */
part: number, } | { "of": "waiting", chat: ChatId, attachment: AttachmentId, 
/**
 * Its index in what is attached.
 */
part: number, };

/**
 * Where a new server is.
 */
export type PlaceDraft = { "at": "here" } & ProgramDraft | { "at": "address" } & EndpointDraft;

/**
 * Where a server is.
 */
export type PlaceView = { "at": "here", 
/**
 * The command as it was written.
 */
command: string, args: Array<string>, 
/**
 * The names of its variables.
 */
variables: Array<string>, 
/**
 * The folder it starts in, where one was given.
 */
folder: string | null, } | { "at": "address", url: string, 
/**
 * Scheme, host and port.
 */
origin: string, 
/**
 * Which transport to speak.
 */
transport: TransportChoice, 
/**
 * The names of the headers it is sent.
 */
headers: Array<string>, 
/**
 * The proxy everything goes through, where there is one: scheme, host and port.
 */
proxy: string | null, };

/**
 * The prices that a model's cost is counted by, and those it would be counted by.
 */
export type PriceChange = { 
/**
 * The user's name for the model.
 */
model: string, 
/**
 * `None` where no price is known, so that nothing is counted, and for a model that would be added.
 */
before: PriceSummary | null, 
/**
 * `None` where nothing would be counted.
 */
after: PriceSummary | null, };

/**
 * What a million tokens cost, in millionths of the currency; `None` where that price is not known.
 */
export type PriceSummary = { input: number | null, output: number | null, 
/**
 * Read from the vendor's cache.
 */
cached: number | null, currency: Currency, };

/**
 * What a million tokens cost, in millionths: of the currency of the user's prices where the user says so, else of a US dollar.
 */
export type PricesFact = { input: number | null, output: number | null, 
/**
 * Read from the vendor's cache.
 */
cached: number | null, source: FactSource, };

/**
 * A problem of one of the groups. As JSON it is the problem itself, so that the groups can change without changing
 * what is stored in chats; no two groups have a variant of the same name.
 */
export type Problem = ServerProblem | CallProblem | ModelProblem | StoreProblem | InputProblem | QuestionProblem | GalleryProblem | BundleProblem;

/**
 * How a new server on this computer is started.
 */
export type ProgramDraft = { command: string, args: Array<string>, 
/**
 * Its variables with their values.
 */
env: Array<EnvPair>, 
/**
 * The folder to start in.
 */
folder: string | null, };

/**
 * A server's word on how far it is.
 */
export type ProgressView = { done: number, 
/**
 * Of how much, where it is known.
 */
total: number | null, 
/**
 * In the server's words.
 */
message: string | null, };

/**
 * One thing a prompt wants to know. Values are text.
 */
export type PromptArgument = { name: string, 
/**
 * A name for people.
 */
title: string | null, description: string | null, 
/**
 * The prompt does not work without it.
 */
required: boolean, };

/**
 * What the user may change before a model is asked.
 */
export type PromptEdit = { system: string | null, messages: Array<SampleMessage>, model: ModelId, 
/**
 * The ceiling; lower than what was shown, or the same.
 */
max_tokens: number, };

export type PromptView = { name: string, 
/**
 * A name for people.
 */
title: string | null, 
/**
 * What it is for.
 */
description: string | null, 
/**
 * What it wants to know.
 */
arguments: Array<PromptArgument>, };

/**
 * One question, with everything its card shows.
 */
export type Question = { 
/**
 * Our name for it.
 */
id: QuestionId, server: ServerSummary, 
/**
 * What caused it, where something in a chat did.
 */
cause: Cause | null, about: QuestionBody, 
/**
 * The scopes the user may pick, narrowest first; a single one means there is nothing to pick.
 */
scopes: Array<Scope>, 
/**
 * How long the permitting answer stays inert after the card appears, moves or comes to the front, in
 * milliseconds.
 */
guard_ms: number, 
/**
 * When it was asked, in milliseconds since 1970.
 */
asked_ms: number, 
/**
 * How often the server asked this kind of question within a minute, where that is more than anyone should
 * have to read.
 */
often: number | null, 
/**
 * How often in a row the user denied this kind of question of the server, where that is three times or more.
 */
denied: number | null, 
/**
 * Good for one answer.
 */
nonce: string, 
/**
 * Over `server`, `cause`, `about` and `scopes`, and behind the card of a flood over which questions wait there.
 */
digest: Digest, 
/**
 * Over what does not differ between two questions that ask exactly the same: the place of the call is left out.
 */
same: Digest, };

export type QuestionBody = { "kind": "start_server" } & Launch | { "kind": "connect_server" } & Connection | { "kind": "look_up_issuer" } & IssuerLookUp | { "kind": "sign_in" } & SignIn | { "kind": "call_tool" } & Call | { "kind": "tool_changed" } & Change | { "kind": "allow_tool" } & Tool | { "kind": "keep_rules" } & RuleSet | { "kind": "fill_form" } & Form | { "kind": "sample_prompt" } & SamplePrompt | { "kind": "sample_reply" } & SampleReply | { "kind": "share_folders" } & ShareFolders | { "kind": "open_page" } & Page | { "kind": "visit_page" } & Visit | { "kind": "widen" } & Widening | { "kind": "flood" } & Flood;

/**
 * A question to the user.
 */
export type QuestionId = string;

/**
 * A question was not asked or not shown, or its answer was not taken.
 */
export type QuestionProblem = { "problem": "not_asked" } | { "problem": "answer_stale" } | { "problem": "answer_too_soon" } | { "problem": "answer_unfit", detail: string, } | { "problem": "page_not_opened", detail: string, } | { "problem": "window_not_shown", detail: string, } | { "problem": "window_not_hidden", detail: string, };

/**
 * A message that waits until the model is done.
 */
export type QueuedView = { 
/**
 * Our name for it while it waits.
 */
id: EntryId, text: string, 
/**
 * How many things are attached to it.
 */
attachments: number, };

/**
 * Why a standing permission was not enough.
 */
export type Raised = "claims_destructive";

/**
 * Where a rule holds.
 */
export type Reach = { "reach": "chat", "in": ChatId } | { "reach": "workspace", "in": WorkspaceId } | { "reach": "everywhere" };

/**
 * What was agreed with a connected server, and what it says of itself.
 */
export type ReadyView = { 
/**
 * The protocol revision in use.
 */
revision: string, 
/**
 * The era it belongs to.
 */
era: EraChoice, 
/**
 * The transport in use.
 */
transport: Wire, 
/**
 * What it calls itself.
 */
claimed_name: string, 
/**
 * The version it claims.
 */
claimed_version: string, 
/**
 * What it says to models that use it.
 */
instructions: string | null, 
/**
 * The capabilities it declared.
 */
capabilities: Array<string>, 
/**
 * The capabilities Vestibule declared to it.
 */
our_capabilities: Array<string>, 
/**
 * Since when, in milliseconds since 1970.
 */
since_ms: number, };

/**
 * Who refused a call.
 */
export type RefusedBy = "person" | "not_now" | "not_asked" | "muted" | "rule" | "held";

/**
 * Whose a page is, seen from the server that asks.
 */
export type Relation = "same_site" | "unrelated" | "local_server";

/**
 * A removed server, as far as the ledger still knows it.
 */
export type RemovedServerView = { 
/**
 * Its id, as its records have it.
 */
id: ServerId, 
/**
 * Its name when it was removed; empty for one removed before names were kept.
 */
name: string, 
/**
 * When it was removed, in milliseconds since 1970; for one without a name, when its last record was written.
 */
removed_ms: number, };

/**
 * An answer on its way back, with what proves that it belongs to the question.
 */
export type Reply = { question: QuestionId, nonce: string, 
/**
 * The digest of what was shown.
 */
digest: Digest, answer: Answer, 
/**
 * Further questions this is the answer to: only such that ask exactly the same.
 */
also: Array<QuestionId>, };

/**
 * What the user may change before the server hears a reply.
 */
export type ReplyEdit = { blocks: Array<SampleBlock>, };

/**
 * Which resource a user picked.
 */
export type ResourcePick = { "pick": "listed", uri: string, } | { "pick": "pattern", pattern: string, 
/**
 * What stands for its variables.
 */
values: { [key in string]: string }, };

export type ResourceView = { 
/**
 * The server's address for it.
 */
uri: string, 
/**
 * What it is called.
 */
name: string, description: string | null, 
/**
 * What it claims to hold.
 */
mime: string | null, 
/**
 * The size it claims.
 */
bytes: number | null, };

/**
 * The user's choice about a long result. No request is made while one is open.
 */
export type ResultChoice = { "choice": "asked", 
/**
 * About how many tokens the whole text has.
 */
tokens: number, 
/**
 * Whether the model has room for it.
 */
fits: boolean, } | { "choice": "made", share: ResultShare, };

/**
 * How much of a long result a model is given.
 */
export type ResultShare = "whole" | "part" | "nothing";

/**
 * What a tool answered. All of it is the server's.
 */
export type ResultView = { 
/**
 * The parts in order.
 */
content: Array<ContentView>, 
/**
 * The structured form, where there is one.
 */
structured: unknown, 
/**
 * The structured form where it is kept beside the entry.
 */
structured_stored?: StoredPart, 
/**
 * Whether the tool says that it failed.
 */
failed: boolean, 
/**
 * Where the structured form does not fit the schema the tool declared.
 */
misfits: Array<string>, 
/**
 * Why the structured form was not checked against that schema, where that was tried and failed.
 */
unchecked: Unchecked | null, 
/**
 * How many bytes were left out because the result was too large to keep.
 */
cut_bytes: number, 
/**
 * How many bytes of the text that was kept were not given to the model.
 */
model_cut_bytes: number, 
/**
 * What the user wants of a long result; `None` where the user is not asked, and the model is given a part.
 */
choice?: ResultChoice, };

/**
 * A failure before the model's first word, and when it is asked again.
 */
export type RetryView = { problem: Problem, 
/**
 * In milliseconds since 1970.
 */
at_ms: number, };

/**
 * Who speaks in an expanded prompt.
 */
export type Role = "user" | "assistant";

/**
 * Why a row does not count as written by Vestibule.
 */
export type RowFault = "changed" | "unsigned" | "missing" | "stale" | "unreadable" | "unchecked";

/**
 * A row that does not count.
 */
export type RowFinding = { row: RowRef, 
/**
 * What is wrong with it.
 */
fault: RowFault, 
/**
 * The server it is about, where that is known.
 */
server: ServerId | null, 
/**
 * The user's name for the server; empty where it is not known.
 */
server_name: string, 
/**
 * The tool, where it is an accepted definition.
 */
tool: string | null, 
/**
 * The rule as the file has it.
 */
rule: RuleView | null, 
/**
 * The rule as it was signed.
 */
kept: RuleView | null, 
/**
 * Whether it can be taken into force again.
 */
can_keep: boolean, 
/**
 * Whether it can be removed from here.
 */
can_remove: boolean, };

/**
 * A row of the database.
 */
export type RowRef = { table: RowTable, 
/**
 * Its key there; for a tool the id of its server and its name, with a slash between them.
 */
id: string, };

/**
 * A table whose rows are signed.
 */
export type RowTable = "rule" | "server" | "tool";

/**
 * Whether changes from outside can be noticed.
 */
export type RowsProtection = { "state": "signed" } | { "state": "off", 
/**
 * What the keychain said.
 */
detail: string, } | { "state": "unchecked", 
/**
 * What the keychain said.
 */
detail: string, };

/**
 * What is known about changes from outside.
 */
export type RowsView = { 
/**
 * Whether such changes can be noticed.
 */
protection: RowsProtection, 
/**
 * Accepted tools that were signed at this start although the ledger does not say when they were accepted.
 */
unproven_tools: number, 
/**
 * The list of signatures itself was changed or put back, so that a row may have been deleted unseen.
 */
list_changed: boolean, findings: Array<RowFinding>, };

/**
 * What a permission that was not made here is bound to.
 */
export type RuleBinding = { "to": "definition", definition: JsonValue, } | { "to": "other_definition" } | { "to": "opening" } | { "to": "other_opening" };

/**
 * What became of a changed rule.
 */
export type RuleChange = "holds" | "asked";

/**
 * Other conditions for a rule, before they hold.
 */
export type RuleDraft = { rule: RuleId, 
/**
 * The conditions it would have.
 */
when: Array<Condition>, 
/**
 * Where it would hold; `None` where that stays.
 */
reach: Reach | null, 
/**
 * When it would end, in milliseconds since 1970, but never later than a permission that is given now; `None` where
 * that stays.
 */
expires_ms: number | null, };

/**
 * A standing permission or refusal.
 */
export type RuleId = string;

/**
 * Rules of one server that would hold after a yes.
 */
export type RuleSet = { 
/**
 * Every one of them.
 */
rules: Array<RuleSummary>, 
/**
 * The rule as it holds now, where one is to be changed. Without it they come from a file.
 */
before: RuleSummary | null, 
/**
 * Whether these are rules whose rows were changed outside Vestibule, and which may hold again.
 */
outside: boolean, };

/**
 * What a rule says.
 */
export type RuleSummary = { 
/**
 * What it speaks of.
 */
action: Action, decision: Decision, 
/**
 * What has to hold for the arguments as well; all of it.
 */
when: Array<Condition>, 
/**
 * How far it reaches.
 */
scope: Scope, 
/**
 * The title of the chat or the name of the workspace in which it holds; missing where it holds everywhere, or
 * where that is gone.
 */
place: string | null, 
/**
 * When it ends at the latest, in milliseconds since 1970.
 */
expires_ms: number | null, 
/**
 * What a permission of a file, or one that was changed outside Vestibule, is bound to.
 */
binding: RuleBinding | null, };

/**
 * What a draft would have done.
 */
export type RuleTrial = { 
/**
 * How many requests it would have let through.
 */
allowed: number, 
/**
 * How many would have been asked.
 */
asked: number, 
/**
 * How many would have been refused.
 */
denied: number, 
/**
 * How many of all there is only a digest of any more, so that conditions on them could not be judged.
 */
without_arguments: number, 
/**
 * The newest of them, newest first.
 */
requests: Array<TrialRequest>, };

/**
 * A standing permission or refusal.
 */
export type RuleView = { 
/**
 * Our name for it.
 */
id: RuleId, 
/**
 * The server it speaks of.
 */
server: ServerId, 
/**
 * The user's name for it.
 */
server_name: string, 
/**
 * What it speaks of.
 */
action: Action, decision: Decision, 
/**
 * What has to hold for the arguments as well; all of it.
 */
when: Array<Condition>, reach: Reach, 
/**
 * How far that is.
 */
scope: Scope, 
/**
 * The chat it holds in, where it holds in one.
 */
chat: ChatId | null, 
/**
 * The chat in which it was made, which may be gone.
 */
made_in: ChatId | null, 
/**
 * When it was made, in milliseconds since 1970, as are the next two.
 */
made_ms: number, 
/**
 * When it ends at the latest.
 */
expires_ms: number | null, 
/**
 * When it last decided something.
 */
last_used_ms: number | null, 
/**
 * Whether it has ended already and decides nothing any more.
 */
ended: boolean, 
/**
 * Whether the tool it was given for is another today, so that it lets nothing through.
 */
outdated: boolean, };

/**
 * What became of a file of rules.
 */
export type RulesImported = { 
/**
 * Refusals, which hold already.
 */
refusals: number, 
/**
 * Permissions, about which the consent window asks.
 */
permissions: number, 
/**
 * Rules for chats that are gone, which were left out.
 */
left_out: number, 
/**
 * Permissions for other definitions of tools than the accepted ones, which were left out.
 */
outdated: number, };

/**
 * A runtime or a launcher that servers need and that the user installs.
 */
export type RuntimeTool = "node" | "python" | "uv" | "docker" | "podman" | "deno" | "bun" | "java" | "dotnet" | "go" | "rust" | "git";

/**
 * One piece of a turn.
 */
export type SampleBlock = { "block": "text", text: string, } | { "block": "image", 
/**
 * What it claims to be.
 */
mime: string, base64: string, } | { "block": "audio", 
/**
 * What it claims to be.
 */
mime: string, base64: string, } | { "block": "tool_use", 
/**
 * Its name for this use.
 */
id: string, name: string, input: Record<string, unknown>, } | { "block": "tool_result", id: string, 
/**
 * Words, pictures and sounds.
 */
blocks: Array<SampleBlock>, 
/**
 * The same as data, where the server gives it.
 */
structured: JsonValue | null, failed: boolean, };

/**
 * One turn of the conversation.
 */
export type SampleMessage = { 
/**
 * Whose words these are said to be.
 */
role: Role, blocks: Array<SampleBlock>, };

/**
 * A model to choose.
 */
export type SampleModel = { 
/**
 * Our name for it.
 */
id: ModelId, 
/**
 * The user's name for it.
 */
label: string, 
/**
 * Where what is sent to it goes; `None` for the script.
 */
at: string | null, 
/**
 * What a million tokens read cost, in millionths of the currency.
 */
price_in: number | null, 
/**
 * What a million tokens written cost.
 */
price_out: number | null, 
/**
 * The currency of both prices.
 */
currency: Currency, };

/**
 * What a server can find important in a model.
 */
export type SamplePriority = "cost" | "speed" | "intelligence";

/**
 * What a server wants to ask a model.
 */
export type SamplePrompt = { 
/**
 * The instructions before the conversation.
 */
system: string | null, messages: Array<SampleMessage>, 
/**
 * Tools of the server that the model may ask for. Vestibule never calls them.
 */
tools: Array<SampleTool>, 
/**
 * Whether the model may, must or must not use them.
 */
tool_use: SampleToolUse, 
/**
 * The user's models, to choose from.
 */
models: Array<SampleModel>, 
/**
 * The one that was picked.
 */
picked: ModelId, reason: PickReason, 
/**
 * The model preferences of the server, in its own words.
 */
hints: Array<string>, 
/**
 * The most tokens the reply may have: what was asked for, or what the budget leaves.
 */
max_tokens: number, 
/**
 * The most tokens the server asked for.
 */
asked_tokens: number, 
/**
 * About how many tokens the model will read.
 */
input_tokens: number, 
/**
 * What the server may still spend.
 */
budget: BudgetLeft, 
/**
 * How often in this conversation the model has asked for tools already.
 */
round: number, 
/**
 * How often it may.
 */
most_rounds: number, 
/**
 * The context of other conversations the server asked for. None is ever given.
 */
context_asked: string | null, 
/**
 * How freely the model is to choose its words.
 */
temperature: number | null, 
/**
 * Texts at which the model is to stop writing.
 */
stop: Array<string>, };

/**
 * What a model said, before the server hears it.
 */
export type SampleReply = { model: string, 
/**
 * Whether its words come from a script.
 */
scripted: boolean, 
/**
 * What it said and which tools of the server it asks for.
 */
blocks: Array<SampleBlock>, 
/**
 * Why it ended, in the protocol's word.
 */
stop_reason: string, input_tokens: number, output_tokens: number, 
/**
 * Whether these numbers are ours and not the model's.
 */
estimated: boolean, 
/**
 * What it cost, in millionths of the currency, where prices are known.
 */
cost: number | null, 
/**
 * The currency of the cost.
 */
currency: Currency, };

/**
 * A tool the server brings.
 */
export type SampleTool = { name: string, 
/**
 * What the server says of it.
 */
description: string | null, input_schema: JsonValue, };

/**
 * Whether the model uses tools.
 */
export type SampleToolUse = "auto" | "required" | "none";

/**
 * What was entered on a card, in the window's own form.
 */
export type SavedInput = { question: QuestionId, 
/**
 * The nonce of the card it was entered on.
 */
nonce: string, entered: Record<string, unknown>, };

/**
 * How far an answer reaches, as the card offers it.
 */
export type Scope = "once" | "chat" | "workspace" | "always";

/**
 * Where secrets are kept.
 */
export type SecretsState = { "state": "keychain" } | { "state": "memory_only", 
/**
 * What the keychain said.
 */
detail: string, };

/**
 * What one server received or was asked about, as far as the ledger still has the words.
 */
export type SeenByServer = { 
/**
 * Folders that are shared with it now, or that it received.
 */
folders: Array<string>, 
/**
 * What its calls, pages and sign-ins named, the latest first.
 */
names: Array<NameSeen>, };

/**
 * A server as a user writes it. Where a server is changed, a name without a value keeps the value that it has.
 */
export type ServerDraft = { 
/**
 * The name to give it.
 */
name: string, place: PlaceDraft, 
/**
 * Which era of the protocol to speak with it.
 */
era: EraChoice, };

/**
 * What saving a draft in place of a server would change and end.
 */
export type ServerEditEffects = { 
/**
 * Whether saving it changes anything.
 */
changes: boolean, 
/**
 * Whether a running server stops.
 */
restarts: boolean, 
/**
 * Whether its next start or connection is another one, which is asked about again.
 */
reviewed: boolean, 
/**
 * Whether it is another program or another address.
 */
moves: boolean, 
/**
 * The permissions that end.
 */
ends: Array<RuleView>, 
/**
 * The permissions and denials that stay.
 */
stays: Array<RuleView>, 
/**
 * The folders that are not shared with it any more.
 */
unshared: Array<string>, 
/**
 * Whether its sign-in ends.
 */
signs_out: boolean, 
/**
 * The headers that lose their value, because it was given for another site.
 */
lost: Array<string>, };

/**
 * A server the user added: our own name for it, whatever it calls itself.
 */
export type ServerId = string;

/**
 * A server could not be started or reached, or is not signed in to.
 */
export type ServerProblem = { "problem": "command_not_found", command: string, looked_in: Array<string>, 
/**
 * A program of that name in a folder that is not searched.
 */
elsewhere?: string, } | { "problem": "command_not_executable", path: string, } | { "problem": "not_started", program: string, detail: string, } | { "problem": "not_downloaded", package: string, detail: string, 
/**
 * The last lines of npm or uv.
 */
stderr: Array<string>, } | { "problem": "start_timed_out", seconds: number, stderr: Array<string>, } | { "problem": "server_ended", exit: string | null, stderr: Array<string>, } | { "problem": "server_unreachable", origin: string, detail: string, } | { "problem": "sign_in_needed", origin: string, status: number, } | { "problem": "sign_in_declined", origin: string, } | { "problem": "sign_in_failed", origin: string, 
/**
 * What kind of failure it is.
 */
why: SignInFailure, detail: string, } | { "problem": "not_withdrawn", origin: string, detail: string, } | { "problem": "server_refused", origin: string, status: number, detail: string, 
/**
 * Where it wants the request to be sent instead, at most 2048 characters. It was not.
 */
moved?: string, 
/**
 * The beginning of what it answered, at most 2000 characters. Untrusted.
 */
said?: string, 
/**
 * The seconds it asks to wait.
 */
retry_after?: number, } | { "problem": "server_reopening", server: string, } | { "problem": "unsupported_revision", answered: string, } | { "problem": "tools_not_listed", detail: string, } | { "problem": "tools_left_out", kept: number, } | { "problem": "server_not_running", server: string, };

/**
 * A rule with the server it speaks of.
 */
export type ServerRule = { 
/**
 * The user's name for the server.
 */
server: string, rule: RuleSummary, };

/**
 * How a server is.
 */
export type ServerState = { "state": "stopped" } | { "state": "not_started", why: StartRefusal, } | { "state": "asking", question: QuestionId | null, } | { "state": "downloading", 
/**
 * How many packages have arrived.
 */
arrived: number, 
/**
 * How many there are; 0 while that is not known.
 */
total: number, } | { "state": "starting", 
/**
 * Whether its program may first download what it runs, as npx and docker do.
 */
may_download: boolean, } | { "state": "ready" } & ReadyView | { "state": "reopening", 
/**
 * 1-based number of the next attempt.
 */
attempt: number, 
/**
 * When it comes, in milliseconds since 1970.
 */
at_ms: number, 
/**
 * Why it is needed.
 */
problem: Problem, } | { "state": "sign_in_needed", problem: Problem, } | { "state": "signing_in" } | { "state": "stopping" } | { "state": "failed", problem: Problem, };

/**
 * A server as the user named it.
 */
export type ServerSummary = { 
/**
 * Our name for it.
 */
id: ServerId, 
/**
 * The user's name for it.
 */
name: string, 
/**
 * Where it comes from: the command line that was started, or the origin that is connected.
 */
provenance: string, };

/**
 * A server in the list.
 */
export type ServerView = { 
/**
 * Our name for it.
 */
id: ServerId, 
/**
 * The user's name for it.
 */
name: string, place: PlaceView, 
/**
 * Which era of the protocol to speak with it.
 */
era: EraChoice, 
/**
 * The variables or headers whose value is not there.
 */
missing: Array<string>, 
/**
 * Its sign-in, where one is possible.
 */
sign_in: SignInView | null, state: ServerState, 
/**
 * Why it does not work and what to do, where that is recognised.
 */
diagnosis: Diagnosis | null, 
/**
 * How many of its tools are offered to the model.
 */
tool_count: number, 
/**
 * How many of its tools are new or changed and wait to be accepted.
 */
held_count: number, 
/**
 * Why its tools, or some of what it offers, could not be listed, while it is connected.
 */
listing_problem: Problem | null, 
/**
 * Whether its instructions wait to be accepted.
 */
instructions_held: boolean, 
/**
 * The downloaded package that it starts from.
 */
package?: PackageView, };

export type Settings = { 
/**
 * Light, dark or as the system says.
 */
appearance: Appearance, 
/**
 * The language of the interface.
 */
language: Language, 
/**
 * The model new chats talk to.
 */
default_model: ModelId, 
/**
 * How often a model may go on after tool results before it must stop, in one turn.
 */
max_rounds: number, 
/**
 * Timeout of a tool call without progress, in seconds.
 */
call_timeout_s: number, 
/**
 * Whether the operating system says that a question waits while Vestibule is not in front.
 */
notify: boolean, 
/**
 * How large the pages of both windows are drawn, in percent: 50 to 200.
 */
zoom: number, 
/**
 * How the model gets to know the tools of its chat.
 */
tool_discovery: ToolDiscovery, 
/**
 * What is done with results that are too long to be given whole without asking.
 */
large_results: LargeResults, 
/**
 * Whether the older part of a chat that becomes longer than its model reads is summarized.
 */
compact: boolean, 
/**
 * How much of what its model reads a chat may fill before that, in percent: 50 to 95.
 */
compact_at: number, 
/**
 * Whether the model of a new chat is asked for its title after the first answer.
 */
title_chats: boolean, 
/**
 * What the user's models may cost in a month; `None` where the user set nothing. A command of its own changes it.
 */
budget: CostBudget | null, 
/**
 * What the user's models may cost in a day, from midnight to midnight where the user is.
 */
day_budget: CostBudget | null, 
/**
 * The currency of the prices that the user entered; costs of before keep theirs. A command of its own changes it.
 */
currency: Currency, 
/**
 * The order of the servers in lists. Those that are not in it come last, in the order in which they were added.
 */
server_order: Array<ServerId>, 
/**
 * The longest edge of a picture in a request to a model, in pixels: 256 to 4096.
 */
picture_edge: number, 
/**
 * How many pictures of a chat are sent again with each request, the newest: 1 to 16.
 */
pictures_sent: number, 
/**
 * The address of the registry that the gallery asks, once the user searches there.
 */
gallery_address: string, };

/**
 * What the user changed in the settings; what is left out stays as it is. Two changes in quick succession can so
 * not undo each other.
 */
export type SettingsChange = { 
/**
 * Light, dark or as the system says.
 */
appearance?: Appearance, 
/**
 * The language of the interface.
 */
language?: Language, 
/**
 * The model new chats talk to.
 */
default_model?: ModelId, 
/**
 * How often a model may go on after tool results, in one turn.
 */
max_rounds?: number, 
/**
 * Timeout of a tool call without progress, in seconds.
 */
call_timeout_s?: number, 
/**
 * Whether the operating system says that a question waits.
 */
notify?: boolean, 
/**
 * How large pages are drawn, in percent.
 */
zoom?: number, 
/**
 * The order of the servers in lists.
 */
server_order?: Array<ServerId>, 
/**
 * How the model gets to know the tools of its chat.
 */
tool_discovery?: ToolDiscovery, 
/**
 * What is done with long results.
 */
large_results?: LargeResults, 
/**
 * Whether the older part of a chat that becomes too long is summarized.
 */
compact?: boolean, 
/**
 * How much of what its model reads a chat may fill before that, in percent.
 */
compact_at?: number, 
/**
 * Whether the model of a new chat is asked for its title.
 */
title_chats?: boolean, 
/**
 * The longest edge of a picture in a request, in pixels.
 */
picture_edge?: number, 
/**
 * How many pictures of a chat are sent again.
 */
pictures_sent?: number, 
/**
 * The address of the registry that the gallery asks; empty for the official one.
 */
gallery_address?: string, };

/**
 * Which folders a server may know of.
 */
export type ShareFolders = { 
/**
 * The folders on offer.
 */
folders: Array<FolderFacts>, 
/**
 * Whether the server asked; otherwise the user began it.
 */
asked: boolean, };

/**
 * A server that may know of a folder.
 */
export type ShareView = { server: ServerId, 
/**
 * When it was shared, in milliseconds since 1970.
 */
shared_ms: number, 
/**
 * When the server was last told; `None` while it has not asked.
 */
told_ms: number | null, };

/**
 * One of the two sides.
 */
export type Side = "us" | "server";

/**
 * What will be signed in to.
 */
export type SignIn = { 
/**
 * What the access will be bound to.
 */
resource: string, 
/**
 * Who signs the user in.
 */
issuer: UrlInspection, 
/**
 * Whose that is, seen from the server.
 */
site: IssuerSite, 
/**
 * How this relates to the sign-in before.
 */
history: SignInHistory, 
/**
 * How access is got.
 */
way: SignInWay, 
/**
 * The page that will be opened; what is added to it belongs to this sign-in alone. `None` where none is.
 */
page: UrlInspection | null, 
/**
 * Where codes, tokens and secrets are sent.
 */
token_endpoint: UrlInspection, 
/**
 * Where Vestibule will be registered, if it has to be.
 */
registration: UrlInspection | null, 
/**
 * What is asked for in all; empty leaves it to the issuer.
 */
scopes: Array<string>, 
/**
 * What of it was not asked for before.
 */
new_scopes: Array<string>, 
/**
 * Whom Vestibule presents itself as.
 */
client: SignInClient, oddities: Array<SignInOddity>, 
/**
 * The file whose content is sent in place of a page, now and at each renewal.
 */
file: SignInFile | null, 
/**
 * Whether the keychain keeps the access; else it is gone with this run.
 */
kept: boolean, };

/**
 * Whom Vestibule presents itself as.
 */
export type SignInClient = { "client": "entered", id: string, } | { "client": "document", address: string, } | { "client": "registered", id: string, } | { "client": "to_be_registered" } | { "client": "unnamed" };

/**
 * What kind of failure ended a sign-in.
 */
export type SignInFailure = "network" | "unsafe" | "malformed" | "mismatch" | "unsupported" | "undocumented" | "no_client" | "refused" | "declined" | "vault" | "timed_out" | "local" | "exhausted" | "needed" | "denied";

/**
 * A file whose content is sent.
 */
export type SignInFile = { path: string, 
/**
 * Its size in bytes.
 */
bytes: number, 
/**
 * The host it is sent to.
 */
to: string, };

/**
 * How a sign-in relates to the one before.
 */
export type SignInHistory = { "history": "first" } | { "history": "again" } | { "history": "more_scopes" } | { "history": "issuer_changed", before: string, };

/**
 * How access is got.
 */
export type SignInMethod = "page" | "client_secret" | "client_key" | "enterprise" | "workload";

/**
 * Something unusual about a sign-in.
 */
export type SignInOddity = { "oddity": "guessed" } | { "oddity": "no_pkce" } | { "oddity": "other_origin", origin: string, } | { "oddity": "wider" } | { "oddity": "other_page", origin: string, 
/**
 * Whether the answer of the page has to name the issuer, so that the issuer cannot collect the code of
 * the page of another site.
 */
confirmed: boolean, };

/**
 * What ways to get access an authorization server says it has, besides a page.
 */
export type SignInOffers = { 
/**
 * Credentials of the application itself.
 */
client_credentials: boolean, 
/**
 * A company's identity provider.
 */
enterprise: boolean, 
/**
 * A token of the platform.
 */
workload: boolean, 
/**
 * A document about the application in place of a registration.
 */
documents: boolean, };

/**
 * How far a sign-in is.
 */
export type SignInPhase = { "phase": "finding" } | { "phase": "asking", question: QuestionId, } | { "phase": "browser", 
/**
 * The host of the page.
 */
host: string, } | { "phase": "finishing" };

/**
 * Secrets that are set with the settings. One that is left out or empty stays where the settings still name whom it was
 * entered for, and is removed otherwise. They cannot be printed.
 */
export type SignInSecrets = { 
/**
 * The secret or the private key of the entered client.
 */
client: string | null, 
/**
 * The secret of this application at the company's identity provider.
 */
company: string | null, };

/**
 * How to sign in to a server.
 */
export type SignInSettings = { 
/**
 * How access is got.
 */
method: SignInMethod, 
/**
 * A client id from an issuer. It is shown to that issuer alone.
 */
client: EnteredClientView | null, 
/**
 * Whether access is bound to a key on this computer where issuer and server offer that.
 */
bound: boolean, 
/**
 * The address of a document about this application, for issuers that read one.
 */
document: string | null, 
/**
 * What is known of the private key of `client_key`.
 */
key: SigningKeyView, 
/**
 * The company's identity provider, for `enterprise`.
 */
company: CompanyView | null, 
/**
 * The file that holds the identity token of `enterprise` or the platform's token of `workload`. It is read each time
 * one is needed.
 */
token_file: string | null, };

/**
 * The sign-in of one server.
 */
export type SignInView = { 
/**
 * How far a sign-in is that is on.
 */
phase: SignInPhase | null, 
/**
 * What is held of an earlier one.
 */
held: HeldSignIn | null, 
/**
 * What other ways the authorization server says it has; `None` until it was asked in this run.
 */
offers: SignInOffers | null, };

/**
 * How access is got.
 */
export type SignInWay = { "way": "page" } | { "way": "client_credentials" } | { "way": "enterprise", 
/**
 * Where that is exchanged first.
 */
identity_provider: string, } | { "way": "workload" };

/**
 * What a private key signs with, by its JOSE name.
 */
export type SigningAlgorithm = "ES256" | "ES384" | "RS256" | "PS256" | "EdDSA";

/**
 * What is said of a private key beside itself.
 */
export type SigningKeyView = { 
/**
 * What it signs with.
 */
algorithm: SigningAlgorithm, 
/**
 * The name the issuer knows it by.
 */
id: string | null, };

/**
 * An entry of a pasted configuration that cannot be added.
 */
export type SkippedServer = { name: string, problem: Problem, };

/**
 * Everything the main window shows, at one moment.
 */
export type Snapshot = { 
/**
 * The number of the last event that is already in it.
 */
seq: number, chats: Array<ChatView>, 
/**
 * In the order they were added.
 */
servers: Array<ServerView>, 
/**
 * The ways to models.
 */
connections: Array<ConnectionView>, models: Array<ModelView>, 
/**
 * The one every chat begins in first.
 */
workspaces: Array<WorkspaceView>, settings: Settings, 
/**
 * What the user's models cost today and in this month.
 */
costs: CostsView, 
/**
 * Where secrets are kept.
 */
secrets: SecretsState, 
/**
 * Whether the ledger is the newest there was.
 */
ledger: HeadState, 
/**
 * What checking the whole ledger came to; `None` until it was checked in this run.
 */
ledger_check: LedgerCheck | null, 
/**
 * Which rules, servers and tools were changed outside Vestibule.
 */
rows: RowsView, 
/**
 * The questions that wait.
 */
waiting: Array<WaitingView>, 
/**
 * The kinds of requests that are muted, by server.
 */
muted: Array<MutedView>, 
/**
 * The profiles of tools, in the order of their names.
 */
profiles: Array<ToolProfile>, 
/**
 * What was written but not sent.
 */
drafts: Array<DraftView>, 
/**
 * The version of Vestibule.
 */
version: string, 
/**
 * The folder all data is in.
 */
data_folder: string, 
/**
 * The folder of the log files, inside the data folder.
 */
log_folder: string, };

/**
 * Why a server did not start or connect although the user was not asked.
 */
export type StartRefusal = "by_rule" | "muted" | "too_many_waiting";

/**
 * Vestibule's own data could not be read or written.
 */
export type StoreProblem = { "problem": "data_newer", found: number, known: number, } | { "problem": "data_in_use", folder: string, } | { "problem": "data_unreadable", detail: string, } | { "problem": "folder_unusable", folder: string, detail: string, } | { "problem": "disk_full" } | { "problem": "read_only" } | { "problem": "store_failed", detail: string, } | { "problem": "keychain_failed", detail: string, } | { "problem": "not_exported", path: string, detail: string, };

/**
 * What a stored part is.
 */
export type StoredForm = { "form": "text" } | { "form": "image", mime: string, } | { "form": "audio", mime: string, } | { "form": "resource", uri: string, mime: string | null, } | { "form": "structured" };

/**
 * A part of a result that is kept beside its entry.
 */
export type StoredPart = { 
/**
 * Its number among the stored parts of the entry.
 */
number: number, form: StoredForm, 
/**
 * Its size in bytes, as it is stored.
 */
bytes: number, 
/**
 * SHA-256 of its bytes, in hexadecimal digits.
 */
sha256: string, 
/**
 * In how many pieces it is read.
 */
pieces: number, 
/**
 * How many lines a text has.
 */
lines: number, 
/**
 * What a text begins with; empty for anything else.
 */
beginning: string, 
/**
 * What a text ends with; empty for anything else.
 */
end: string, };

/**
 * A yes or no with its source.
 */
export type SwitchFact = { value: boolean, source: FactSource, };

/**
 * A task, as its server last told of it.
 */
export type TaskView = { 
/**
 * When it began, in milliseconds since 1970.
 */
since_ms: number, 
/**
 * When the server was last asked how far it is, in milliseconds since 1970.
 */
asked_ms: number | null, 
/**
 * Its server is not connected; it is asked again once it is.
 */
away: boolean, 
/**
 * It waits for something from the user.
 */
needs_input: boolean, 
/**
 * How far it is, in the server's words.
 */
words: string | null, };

/**
 * A pattern of resources.
 */
export type TemplateView = { 
/**
 * The pattern (RFC 6570).
 */
pattern: string, 
/**
 * What it is called.
 */
name: string, description: string | null, 
/**
 * What it claims to hold.
 */
mime: string | null, 
/**
 * What it wants to know.
 */
variables: Array<string>, };

/**
 * What has to hold for a value.
 */
export type Test = { "equals": unknown } | { "one_of": unknown[] } | { "glob": string } | { "under": string } | { "host": Array<string> } | { "mail": Array<string> } | { "between": { 
/**
 * The smallest, if there is one.
 */
least: number | null, 
/**
 * The largest, if there is one.
 */
most: number | null, } } | { "at_most_bytes": number };

/**
 * How far the model's words are.
 */
export type TextState = "streaming" | "done" | "stopped" | "interrupted" | "length";

/**
 * A tool's own words about itself. All of it is a quotation.
 */
export type Tool = { name: string, 
/**
 * The title it claims.
 */
title: string | null, 
/**
 * What it says it does.
 */
description: string | null, 
/**
 * What it claims about its effects.
 */
claims: Claims, 
/**
 * The whole definition as the server sent it.
 */
definition: JsonValue, };

/**
 * How a model gets to know the tools of its chat.
 */
export type ToolDiscovery = "automatic" | "all" | "find";

/**
 * A tool that a model was not offered.
 */
export type ToolLeftOut = { server: ServerId, 
/**
 * The user's name for the server then.
 */
server_name: string, tool: string, reason: LeftOutReason, };

/**
 * The tools of a server.
 */
export type ToolList = { tools: Array<ToolView>, 
/**
 * When the server listed them, in milliseconds since 1970, where it is not connected now.
 */
listed_ms: number | null, };

/**
 * A tool that the user switched off in a chat.
 */
export type ToolOff = { server: ServerId, tool: string, };

/**
 * A named set of servers and tools that the model of a chat may be offered.
 */
export type ToolProfile = { 
/**
 * Different from the others, in any case.
 */
name: string, servers: Array<ServerId>, 
/**
 * The tools of these servers that are not in the set.
 */
tools_off: Array<ToolOff>, };

/**
 * What the user wants of a tool.
 */
export type ToolRule = "ask" | "allow" | "never";

/**
 * A tool of a server.
 */
export type ToolView = { name: string, 
/**
 * The title it claims.
 */
title: string | null, 
/**
 * What it says it does.
 */
description: string | null, 
/**
 * What it claims about its effects.
 */
claims: Claims, input_schema: unknown, 
/**
 * What the user decided.
 */
rule: ToolRule, 
/**
 * Whether it is new or changed and is held back until it is accepted.
 */
held: boolean, 
/**
 * Whether it is held back because the server did not have it before.
 */
is_new: boolean, 
/**
 * About how many tokens its definition costs the model.
 */
tokens: number, 
/**
 * Why its arguments are not checked, where they are not.
 */
unchecked_arguments: Unchecked | null, 
/**
 * Why its structured results are not checked, where it declares what they are and they are not.
 */
unchecked_results: Unchecked | null, };

/**
 * The traffic that is new since some change.
 */
export type TrafficPage = { 
/**
 * New or changed exchanges, oldest first.
 */
exchanges: Array<ExchangeView>, 
/**
 * The change up to which this goes; what comes later is asked for with it.
 */
upto: number, 
/**
 * The oldest exchange that is still kept; older ones were dropped.
 */
oldest: number, };

/**
 * Which of the transports over HTTP to speak.
 */
export type TransportChoice = "auto" | "streamable" | "sse";

export type TrialFailure = { step: TrialStep, problem: Problem, };

/**
 * One request of the past.
 */
export type TrialRequest = { 
/**
 * When it was made, in milliseconds since 1970.
 */
at_ms: number, 
/**
 * The title of its chat, where that still exists.
 */
chat_title: string | null, 
/**
 * Its arguments, where the chat still has them.
 */
arguments: Record<string, unknown> | null, 
/**
 * What the rules of today say of it.
 */
before: Decision, 
/**
 * What they would say with the draft.
 */
after: Decision, };

/**
 * A step of the way to a model, in order.
 */
export type TrialStep = "name" | "connection" | "encryption" | "key" | "model" | "reply";

/**
 * How far one short message to a model came.
 */
export type TrialView = { 
/**
 * The steps of this way, in order.
 */
steps: Array<TrialStep>, 
/**
 * Where it ended; the steps after that were not reached.
 */
failed: TrialFailure | null, 
/**
 * Until the first words or the failure, in milliseconds.
 */
took_ms: number, };

/**
 * Why a value was not checked.
 */
export type Unchecked = { "why": "too_large", kilobytes: number, } | { "why": "too_deep", levels: number, } | { "why": "too_many_parts", most: number, } | { "why": "too_many_references", most: number, } | { "why": "multiplies" } | { "why": "circular" } | { "why": "outside", reference: string, } | { "why": "pattern_refused", pattern: string, } | { "why": "patterns_too_large" } | { "why": "invalid", detail: string, } | { "why": "value_too_large" } | { "why": "stopped" } | { "why": "used_up", seconds: number, } | { "why": "busy" } | { "why": "failed", detail: string, };

/**
 * How far the download of another version of a package is.
 */
export type UpdateProgress = { 
/**
 * How many packages have arrived.
 */
arrived: number, 
/**
 * How many there are; 0 while that is not known.
 */
total: number, };

/**
 * The facts about one URL, for cards, for the code that opens it, and for the ledger.
 */
export type UrlInspection = { 
/**
 * The URL as a browser would write it: ASCII, and the only form that is ever opened. `None` where the text is
 * no absolute http or https URL.
 */
canonical: string | null, 
/**
 * The text as it came, with everything that is not plain visible ASCII written as `\u{…}`. Safe to show.
 */
escaped: string, 
/**
 * The host in ASCII; an IPv6 address stands in brackets.
 */
ascii_host: string | null, 
/**
 * The host as it may be shown: a label that could deceive stays in its `xn--` form.
 */
display_host: string | null, 
/**
 * The registered part of the host, in ASCII. An address or a name of this network has none.
 */
registrable_domain: string | null, 
/**
 * The same as it may be shown.
 */
registrable_display: string | null, 
/**
 * Where in `canonical` the registrable domain (or the whole host, where there is none) stands: first byte, and
 * the byte after the last.
 */
emphasis: [number, number] | null, 
/**
 * The port, where the URL names one that is not its scheme's.
 */
port: number | null, 
/**
 * What is odd, the weightiest first.
 */
warnings: Array<UrlWarning>, 
/**
 * What follows from the warnings in this context.
 */
verdict: UrlVerdict, };

/**
 * What may be done with a URL. Ordered: the largest of several holds.
 */
export type UrlVerdict = "ok" | "warn" | "block";

/**
 * One oddity of a URL.
 */
export type UrlWarning = "lookalike" | "userinfo" | "hidden-unicode" | "control-chars" | "parser-differential" | "scheme-not-allowed" | "invalid-url" | "shell-metachar" | "ip-noncanonical" | "bad-port" | "dns-length" | "url-too-long" | "loopback" | "private-address" | "intranet-name" | "target-embedding" | "idn-unsafe" | "insecure-http" | "ip-literal" | "public-suffix" | "unlisted-tld" | "host-chars" | "suspicious-escapes" | "near-known" | "punycode" | "nonstandard-port" | "ip-in-name" | "url-in-path" | "deep-subdomain" | "trailing-dot" | "long-url";

/**
 * What one round took, as the model's server counted or as estimated.
 */
export type UsageView = { 
/**
 * Tokens read, with those from the cache.
 */
input: number, 
/**
 * Tokens written, with those of reasoning.
 */
output: number, 
/**
 * The part of `input` read from the vendor's cache.
 */
cached: number, 
/**
 * In millionths of the currency; `None` where no price is known.
 */
cost: number | null, 
/**
 * US dollars in a round that was stored without one.
 */
currency: Currency, 
/**
 * Whether the model's server did not count, so that the numbers are estimates.
 */
estimated: boolean, };

/**
 * A budget that is used up.
 */
export type UsedBudget = { scope: BudgetScope, budget: CostBudget, 
/**
 * What was spent of it, in millionths of its currency.
 */
spent: number, };

/**
 * What is shown of a value.
 */
export type ValueDisplay = { "display": "shown", text: string, } | { "display": "masked", text: string, } | { "display": "hidden" };

/**
 * What the value of a variable can change.
 */
export type VariableEffect = "injects_code" | "finds_programs" | "loads_code" | "finds_settings" | "package_source" | "routes_traffic" | "trust";

/**
 * Where an entry is among its versions: those that follow the same entry.
 */
export type VersionsView = { 
/**
 * Its number, from 1.
 */
at: number, 
/**
 * How many there are, itself included.
 */
of: number, 
/**
 * The version before it.
 */
before: EntryId | null, 
/**
 * The version after it.
 */
after: EntryId | null, };

/**
 * A page that was opened, or could not be, and is being visited.
 */
export type Visit = { page: Page, 
/**
 * Why the browser did not start, where it did not.
 */
not_opened: string | null, 
/**
 * Whether the server goes on only after the user says that they are done.
 */
held: boolean, };

/**
 * A question that waits, without its content.
 */
export type WaitingView = { question: QuestionId, server: ServerId, 
/**
 * Where in a chat.
 */
entry: EntryId | null, 
/**
 * Since when, in milliseconds since 1970.
 */
asked_ms: number, };

export type Widening = { "widening": "drop_refusals", 
/**
 * Every one of them.
 */
rules: Array<RuleSummary>, } | { "widening": "move_chats" } & MoveChats | { "widening": "raise_budget", 
/**
 * What it may spend now.
 */
before: Budget, 
/**
 * What it could spend.
 */
after: Budget, } | { "widening": "raise_cost_budget", scope: BudgetScope, 
/**
 * The title of the chat it is for; empty where that has none, and for a day or month.
 */
chat: string, before: CostBudget, 
/**
 * `None` where there would be no budget.
 */
after: CostBudget | null, } | { "widening": "lower_prices", 
/**
 * Every model that it is so for.
 */
models: Array<PriceChange>, } | { "widening": "go_on_once", 
/**
 * The chat's title; empty where it has none.
 */
chat: string, 
/**
 * Every one of them that would not stop this message.
 */
used: Array<UsedBudget>, } | { "widening": "accept_ledger" } & LedgerDoubt | { "widening": "save_connection", 
/**
 * The connection as it would be.
 */
connection: ConnectionSummary, 
/**
 * Whether it is a new one.
 */
new: boolean, 
/**
 * The address it had, where it moves.
 */
before: string | null, 
/**
 * Whether a key for it is sent there as well.
 */
key: boolean, 
/**
 * Its models that less would be counted of. Empty where no budget stops models.
 */
prices: Array<PriceChange>, } | { "widening": "chat_model", 
/**
 * The chat's title; empty where it has none.
 */
chat: string, 
/**
 * The model it talks to now; `None` where that is the rehearsal, which sends nothing.
 */
from: ModelSummary | null, 
/**
 * The model it would talk to.
 */
to: ModelSummary, } | { "widening": "update_package" } & PackageUpdate;

/**
 * The kinds of wires, as far as they differ for a session.
 */
export type Wire = "stdio" | "streamable" | "sse";

/**
 * A set of folders and the servers that may know of them; each chat belongs to one.
 */
export type WorkspaceId = string;

export type WorkspaceSummary = { 
/**
 * The user's name for it; empty for the one every chat begins in.
 */
name: string, folders: Array<string>, };

export type WorkspaceView = { 
/**
 * Our name for it.
 */
id: WorkspaceId, 
/**
 * The user's name for it; empty for the one every chat begins in.
 */
name: string, 
/**
 * Its folders, in the order they were added.
 */
folders: Array<FolderView>, };
