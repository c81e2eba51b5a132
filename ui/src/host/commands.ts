// Generated from the table of commands by `make bindings`. Do not edit.
import { invoke } from "@tauri-apps/api/core";
import type {
  AppConfigs,
  Asking,
  AttachmentId,
  AttachmentView,
  BackupView,
  BackupWritten,
  Budget,
  BudgetView,
  BundleDraft,
  BundleView,
  ChangeOutcome,
  ChatFileForm,
  ChatFindView,
  ChatId,
  ChatImportView,
  ChatSearch,
  ChatSettings,
  ChatView,
  ChatsImported,
  CompletionAsk,
  CompletionView,
  ConnectionDraft,
  ConnectionId,
  ConnectionSaved,
  CostBudget,
  Currency,
  EntriesPart,
  EntriesView,
  EntryId,
  Envelope,
  ExportedFile,
  FieldError,
  FilesAttached,
  GalleryPage,
  InboxMessage,
  LastEvent,
  LedgerCheck,
  LedgerPage,
  LedgerQuery,
  LocalModelDraft,
  LocalModels,
  LogLevel,
  LogPage,
  MeterView,
  ModelDraft,
  ModelId,
  ModelListingView,
  ModelsAdded,
  NamedValue,
  OffersView,
  ParsedServers,
  PicturePlace,
  QuestionId,
  Reply,
  ResourcePick,
  ResultShare,
  RowRef,
  RuleChange,
  RuleDraft,
  RuleId,
  RuleTrial,
  RuleView,
  RulesImported,
  SeenByServer,
  ServerDraft,
  ServerEditEffects,
  ServerId,
  SettingsChange,
  SignInSecrets,
  SignInSettings,
  Snapshot,
  ToolList,
  ToolOff,
  ToolRule,
  TrafficPage,
  TrialView,
  WorkspaceId,
} from "./bindings";

/** What the main window can call. Every promise rejects with a `Problem`. */
export interface MainHost {
  /** Subscribes to every event, then reads everything. Events up to `snapshot.seq` are already in the snapshot. */
  open(): Promise<Snapshot>;
  /** Waits for the next events; null where events were lost, and everything has to be read again. */
  events(): Promise<Array<Envelope> | null>;
  /** How far the events go. The reply to a command may come before the events that tell what it did. */
  lastEvent(): Promise<LastEvent>;
  questionRaise(question: QuestionId): Promise<void>;
  /** The answer to `close_asked`: closes the application, or keeps it open. */
  windowClose(close: boolean): Promise<void>;
  /** Makes an empty chat; a temporary one is in memory alone and ends with the application. */
  chatCreate(temporary: boolean): Promise<ChatView>;
  /** Prepares what the next message of a chat needs, without sending anything; null for one that has not begun. */
  chatPrepare(chat: ChatId | null): Promise<void>;
  chatRename(chat: ChatId, title: string): Promise<void>;
  /** Keeps a chat at the top of the list, or no longer. */
  chatPin(chat: ChatId, pinned: boolean): Promise<void>;
  /** Puts a chat away, or brings it back to the list. */
  chatArchive(chat: ChatId, archived: boolean): Promise<void>;
  /** Stops a chat and moves it to the trash, or brings it back. */
  chatTrash(chat: ChatId, trashed: boolean): Promise<void>;
  /** Deletes a chat for ever. */
  chatDelete(chat: ChatId): Promise<void>;
  /** Deletes all chats in the trash for ever. */
  trashEmpty(): Promise<void>;
  /** Reads a part of a chat's entries. */
  chatEntries(chat: ChatId, part: EntriesPart): Promise<EntriesView>;
  /** Writes a chat, or all chats outside the trash, to a file that the user picks in the system's own dialog; null where none was picked. */
  chatsExport(chat: ChatId | null, form: ChatFileForm): Promise<ExportedFile | null>;
  /** The branch that a chat shows as Markdown. */
  chatMarkdown(chat: ChatId): Promise<string>;
  /** Reads a file of chats that the user picks in the system's own dialog, and says what importing it would add; null where none was picked. It is kept until it is imported or dropped. */
  chatsImportChoose(): Promise<ChatImportView | null>;
  /** Imports what was read of the chosen file. Calls are not made and permissions are not taken. */
  chatsImport(): Promise<ChatsImported>;
  chatsImportDrop(): Promise<void>;
  /** Writes a backup of the database to a file that the user picks in the system's own dialog; null where none was picked. */
  backupWrite(): Promise<BackupWritten | null>;
  /** Reads a backup that the user picks in the system's own dialog; null where none was picked. A copy of it waits until it is confirmed or dropped. */
  backupChoose(): Promise<BackupView | null>;
  /** The backup that waits, where there is one. */
  backupWaiting(): Promise<BackupView | null>;
  /** Has the chosen backup restored at the next start. */
  backupConfirm(): Promise<BackupView>;
  backupDrop(): Promise<void>;
  /** Makes a chat, with the profile that it begins with, and sends its first message. */
  chatBegin(text: string, profile: string | null): Promise<ChatView>;
  /** Sends a message with what was picked for this chat. */
  chatSend(chat: ChatId, text: string, attached: Array<AttachmentId>): Promise<void>;
  /** Keeps a message until the model is done, then sends it. A stopped turn sends nothing. */
  queueAdd(chat: ChatId, text: string, attached: Array<AttachmentId>): Promise<void>;
  queueEdit(chat: ChatId, message: EntryId, text: string): Promise<void>;
  queueRemove(chat: ChatId, message: EntryId): Promise<void>;
  /** Sends a message that waits now, and stops the model for it where that is at work. */
  queueSend(chat: ChatId, message: EntryId): Promise<void>;
  chatStop(chat: ChatId): Promise<void>;
  chatRetry(chat: ChatId): Promise<void>;
  /** Lets the model continue an answer that a limit of tokens ended. */
  chatContinue(chat: ChatId): Promise<void>;
  /** Sends a message of the user once more with another text, as a version of it. What followed it is kept. */
  messageEdit(entry: EntryId, text: string): Promise<void>;
  /** Lets the model answer once more, as a version of the answer that an entry belongs to. */
  answerRegenerate(entry: EntryId): Promise<void>;
  /** Deletes a message of the user with all its answers; other versions of it stay. */
  messageDelete(entry: EntryId): Promise<void>;
  /** Changes the text of a summary that stands for earlier messages. */
  summaryEdit(entry: EntryId, text: string): Promise<void>;
  /** Sends a summary in place of earlier messages, or the messages again. */
  summaryUse(entry: EntryId, used: boolean): Promise<void>;
  /** Shows the branch of an entry. */
  branchShow(entry: EntryId): Promise<void>;
  /** Asks once more about a call that was denied or skipped; `text` is the user's message that says so. */
  callAskAgain(entry: EntryId, text: string): Promise<void>;
  /** Lets the model try again without tools, after it refused them. */
  chatWithoutTools(chat: ChatId): Promise<void>;
  /** Reads pieces of a stored text from one on, or of a stored sound as Base64 each: as many as have 256 kB. */
  storedPieces(entry: EntryId, number: number, first: number): Promise<Array<string>>;
  /** Sets how much of a long result the model is given, where the chat waits for that. */
  resultShare(entry: EntryId, share: ResultShare): Promise<void>;
  /** Stops one call, or gives up the task it became; the turn goes on. */
  callStop(entry: EntryId): Promise<void>;
  /** The entries of all chats in which all these words were said. */
  chatSearch(search: string): Promise<ChatSearch>;
  /** The places of a text in the branch that a chat shows. */
  chatFind(chat: ChatId, search: string): Promise<ChatFindView>;
  /** Offers the tools of a server in a chat, or no longer. */
  chatServerSwitch(chat: ChatId, server: ServerId, on: boolean): Promise<void>;
  /** Offers a single tool in a chat, or no longer. */
  chatToolSwitch(chat: ChatId, tool: ToolOff, on: boolean): Promise<void>;
  /** Saves what a chat is offered as a profile, in place of one of the same name. */
  profileSave(chat: ChatId, name: string): Promise<void>;
  /** Removes a profile. Chats that took over its set keep it. */
  profileRemove(name: string): Promise<void>;
  /** Lets a chat be offered the set of a profile, or everything again. */
  chatProfile(chat: ChatId, profile: string | null): Promise<void>;
  /** What the next request of a chat takes of what its model reads. */
  chatMeter(chat: ChatId): Promise<MeterView>;
  /** Keeps what is written in a chat; null for one that has not begun. */
  draftSave(chat: ChatId | null, text: string): Promise<void>;
  /** Sets what a chat asks of its model from the next message on. */
  chatSettings(chat: ChatId, settings: ChatSettings): Promise<void>;
  /** Sets what a chat may cost. Before it may cost more, the consent window asks. */
  chatBudgetSave(chat: ChatId, budget: CostBudget | null): Promise<ChangeOutcome>;
  /** Lets the model try again although budgets are used up, for one message. The consent window asks first. */
  chatGoOnOnce(chat: ChatId): Promise<ChangeOutcome>;
  chatModel(chat: ChatId, model: ModelId | null): Promise<ChangeOutcome>;
  /** Saves a way to models. A new one, another address and other headers are asked in the consent window. */
  connectionSave(draft: ConnectionDraft): Promise<ConnectionSaved>;
  /** Removes a connection with its models, its key and its headers. */
  connectionRemove(connection: ConnectionId): Promise<void>;
  /** Asks a connection for the models it offers. */
  connectionModels(connection: ConnectionId): Promise<ModelListingView>;
  /** Adds models of a connection by their names there. Before a model without a known price is added while a budget stops, the consent window asks. */
  modelsAdd(connection: ConnectionId, names: Array<string>): Promise<ModelsAdded>;
  /** Saves what the user says of a model. Before its cost counts for less in a budget that stops, the consent window asks. */
  modelSave(draft: ModelDraft): Promise<ChangeOutcome>;
  modelFavourite(model: ModelId, favourite: boolean): Promise<void>;
  /** Sends one short message and says which step failed. */
  modelTry(model: ModelId): Promise<TrialView>;
  modelRemove(model: ModelId): Promise<void>;
  /** The proxy between this computer and an address. Nothing is sent. */
  modelProxy(baseUrl: string): Promise<string | null>;
  modelDetect(): Promise<Array<LocalModels>>;
  /** Adds a model file with the program that serves it. Nothing is started. */
  localModelAdd(draft: LocalModelDraft): Promise<ModelId>;
  /** Changes the file and the program of a local model. One that runs is stopped. */
  localModelSave(connection: ConnectionId, draft: LocalModelDraft): Promise<void>;
  /** Begins to start the program of a local model; the consent window asks first, each time. */
  localModelStart(connection: ConnectionId): Promise<void>;
  localModelStop(connection: ConnectionId): Promise<void>;
  /** Lets the user pick a model file in the system's own dialog; null where none was picked. */
  modelFileChoose(): Promise<string | null>;
  serverParse(text: string): Promise<ParsedServers>;
  /** Reads the configurations of other applications on this computer. Adds and starts nothing. */
  appConfigs(): Promise<AppConfigs>;
  /** A page of what the registry of the settings lists for these words; the next one with the cursor of this one. */
  gallerySearch(search: string, cursor: string | null): Promise<GalleryPage>;
  /** Reads a bundle that the user picks in the system's own dialog; null where none was picked. It waits until it is added or dropped, and nothing of it is unpacked before. */
  bundleChoose(): Promise<BundleView | null>;
  /** Reads the bundle that the user dropped on the window last. */
  bundleDropped(): Promise<BundleView>;
  /** Downloads a bundle that the registry listed, and reads it. It has to have the digest that was listed. */
  bundleDownload(address: string): Promise<BundleView>;
  /** Unpacks the bundle that was shown and adds its server. Nothing is started. */
  bundleAdd(draft: BundleDraft): Promise<ServerId>;
  /** Forgets the bundle that waits, and stops a download. */
  bundleDrop(): Promise<void>;
  /** What this computer sets about its proxy and its certificates. No server gets it unless the user adds it. */
  networkVariables(): Promise<Array<NamedValue>>;
  /** Splits a command line into a program and its arguments. Nothing runs. */
  commandLineSplit(line: string): Promise<Array<string>>;
  serverAdd(draft: ServerDraft): Promise<ServerId>;
  /** A server as the form shows it: the names of its variables or headers, none of their values. */
  serverDraft(server: ServerId): Promise<ServerDraft>;
  /** What saving this draft in place of a server would change and end. Changes nothing. */
  serverEditEffects(server: ServerId, draft: ServerDraft): Promise<ServerEditEffects>;
  /** Changes a server. One that would start or connect differently is stopped first. */
  serverEdit(server: ServerId, draft: ServerDraft): Promise<void>;
  serverRemove(server: ServerId): Promise<void>;
  serverStart(server: ServerId): Promise<void>;
  serverStop(server: ServerId): Promise<void>;
  /** Asks the registry for another version of its downloaded package; the consent window asks about one that is found. Done where there is none. */
  serverUpdate(server: ServerId): Promise<ChangeOutcome>;
  /** Stops looking for another version, or downloading it; the server keeps the one it has. */
  serverUpdateStop(server: ServerId): Promise<void>;
  /** Signs in to a server that wants it; the consent window asks first. */
  serverSignIn(server: ServerId): Promise<void>;
  serverSignInSettings(server: ServerId): Promise<SignInSettings>;
  /** Sets how to sign in, and signs out. Without a secret the one that is kept stays. */
  serverSignInSet(server: ServerId, settings: SignInSettings, secrets: SignInSecrets): Promise<void>;
  serverSignInCancel(server: ServerId): Promise<void>;
  /** Opens the page of the current sign-in again. */
  serverSignInPage(server: ServerId): Promise<void>;
  serverSignOut(server: ServerId): Promise<void>;
  serverSwitchAccount(server: ServerId): Promise<void>;
  serverSecret(server: ServerId, name: string, value: string): Promise<void>;
  /** Lifts a mute: these questions are asked again. Muting is an answer and belongs to the consent window. */
  serverUnmute(server: ServerId, asking: Asking): Promise<void>;
  /** The tools of a server, or those it listed last while it is not connected. */
  serverToolList(server: ServerId): Promise<ToolList>;
  /** Lists the tools of a connected server again. */
  serverListAgain(server: ServerId): Promise<void>;
  /** The variables whose values decide what runs. Other values are never sent to a window. */
  serverVariables(server: ServerId): Promise<Array<NamedValue>>;
  /** The log's lines with numbers above `after`. */
  serverLog(server: ServerId, after: number): Promise<LogPage>;
  serverTraffic(server: ServerId, after: number): Promise<TrafficPage>;
  /** Allowing raises a question in the consent window; a `tools` event reports the outcome. */
  toolRule(server: ServerId, tool: string, rule: ToolRule): Promise<void>;
  /** Asks once in the consent window about all of these tools that claim to read. */
  toolsAllow(server: ServerId, tools: Array<string>): Promise<void>;
  /** Shows again what is held of a server: a tool, or its instructions where there is none. */
  toolReview(server: ServerId, tool: string | null): Promise<void>;
  rules(): Promise<Array<RuleView>>;
  ruleTakeBack(rule: RuleId): Promise<ChangeOutcome>;
  /** Narrowing holds at once. Widening raises a question; a `rules` event reports the outcome. */
  ruleChange(draft: RuleDraft): Promise<RuleChange>;
  ruleTry(draft: RuleDraft): Promise<RuleTrial>;
  rulesExport(): Promise<string>;
  rulesImport(text: string): Promise<RulesImported>;
  /** Takes a row that was changed from outside into force again; a permission is asked about first. */
  rowKeep(row: RowRef): Promise<void>;
  rowRemove(row: RowRef): Promise<void>;
  ledgerPage(query: LedgerQuery): Promise<LedgerPage>;
  ledgerVerify(): Promise<LedgerCheck>;
  /** Writes every record that the query finds to a file. */
  ledgerExport(query: LedgerQuery): Promise<ExportedFile>;
  /** The folders that a server received, and the files and hosts that calls to it named. */
  ledgerSeen(server: ServerId): Promise<SeenByServer>;
  /** Deletes the name, files and domains of a removed server; its records stay. */
  ledgerForgetServer(server: ServerId): Promise<void>;
  /** Accepts a ledger that is not the newest there was; the consent window asks first. */
  ledgerAccept(): Promise<ChangeOutcome>;
  serverOffers(server: ServerId): Promise<OffersView>;
  serverLogLevel(server: ServerId, level: LogLevel): Promise<void>;
  /** Reads a resource for this chat alone; nothing of it is sent before `chatSend` names it. */
  resourceRead(chat: ChatId, server: ServerId, pick: ResourcePick): Promise<AttachmentView>;
  /** Expands a prompt for this chat alone; nothing of it is sent before `chatSend` names it. */
  promptGet(chat: ChatId, server: ServerId, name: string, values: Record<string, string>): Promise<AttachmentView>;
  /** Lets the user pick files in the system's own dialog and attaches them to a chat. Nothing of them is sent before `chatSend` names it. */
  filesChoose(chat: ChatId): Promise<FilesAttached>;
  /** Attaches the files that the user dropped on the window last. */
  filesDropped(chat: ChatId): Promise<FilesAttached>;
  /** Attaches the picture of the clipboard. */
  picturePaste(chat: ChatId): Promise<FilesAttached>;
  /** Attaches a text of the clipboard that is too long for a message. */
  textPaste(chat: ChatId, text: string): Promise<FilesAttached>;
  /** What waits in a chat to be sent, in the order it was picked. */
  attachmentsWaiting(chat: ChatId): Promise<Array<AttachmentView>>;
  attachmentDrop(attachment: AttachmentId): Promise<void>;
  /** Writes a picture of a chat to a file that the user picks in the system's own dialog. Returns its path; null where none was picked. */
  pictureSave(picture: PicturePlace): Promise<string | null>;
  /** Asks in the consent window whether to open the page of a link that a model wrote in this entry. An event tells how it ended. */
  linkOpen(chat: ChatId, entry: EntryId, address: string): Promise<ChangeOutcome>;
  complete(server: ServerId, ask: CompletionAsk): Promise<CompletionView>;
  /** Changes what is named; everything else stays as it is. */
  settingsSave(change: SettingsChange): Promise<void>;
  /** Sets what the user's models may cost in a month. Before they may cost more, the consent window asks. */
  monthBudgetSave(budget: CostBudget | null): Promise<ChangeOutcome>;
  /** The same for a day, from midnight to midnight where the user is. */
  dayBudgetSave(budget: CostBudget | null): Promise<ChangeOutcome>;
  /** Sets the currency of the prices that the user entered. While a budget stops, the consent window asks first. */
  currencySave(currency: Currency): Promise<ChangeOutcome>;
  stopEverything(): Promise<void>;
  workspaceCreate(name: string): Promise<WorkspaceId>;
  workspaceRename(workspace: WorkspaceId, name: string): Promise<void>;
  workspaceRemove(workspace: WorkspaceId): Promise<ChangeOutcome>;
  /** Returns the canonical path. */
  folderAdd(workspace: WorkspaceId, path: string): Promise<string>;
  /** Lets the user pick a folder in the system's own dialog and adds it; null where none was picked. */
  folderChoose(workspace: WorkspaceId): Promise<string | null>;
  /** Lets the user pick a folder in the system's own dialog; null where none was picked. It is added nowhere. */
  folderPick(): Promise<string | null>;
  folderRemove(workspace: WorkspaceId, path: string): Promise<void>;
  /** Asks in the consent window which folders a server may know of. */
  foldersShare(server: ServerId): Promise<void>;
  folderUnshare(server: ServerId, path: string): Promise<void>;
  chatWorkspace(chat: ChatId, workspace: WorkspaceId): Promise<ChangeOutcome>;
  samplingBudget(server: ServerId): Promise<BudgetView>;
  samplingBudgetSave(server: ServerId, budget: Budget): Promise<ChangeOutcome>;
}

/** What the consent window can call. Every promise rejects with a `Problem`. */
export interface ConsentHost {
  /** Subscribes to the questions. The first messages have the whole inbox. */
  open(): Promise<void>;
  /** Waits for the next messages; null where no more will come. */
  messages(): Promise<Array<InboxMessage> | null>;
  /** Says that this card is in front and painted, which starts its click delay. */
  present(question: QuestionId): Promise<void>;
  answer(reply: Reply): Promise<void>;
  /** What is wrong with a form as it is filled in, by the rules that will check the answer. */
  check(question: QuestionId, content: Record<string, unknown>): Promise<Array<FieldError>>;
  /** Keeps what was entered on the card with this nonce while its question waits; null keeps nothing. */
  keep(question: QuestionId, nonce: string, entered: Record<string, unknown> | null): Promise<void>;
  /** Hides the window and answers nothing: everything goes on waiting. */
  hide(): Promise<void>;
  /** Lifts a mute: these questions are asked again. */
  unmute(server: ServerId, asking: Asking): Promise<void>;
}

/** The commands of the main window over Tauri. */
export const tauriMain = (): MainHost => ({
  open: () => invoke("host_open"),
  events: () => invoke("host_events"),
  lastEvent: () => invoke("host_last_event"),
  questionRaise: (question) => invoke("question_raise", { question }),
  windowClose: (close) => invoke("window_close", { close }),
  chatCreate: (temporary) => invoke("chat_create", { temporary }),
  chatPrepare: (chat) => invoke("chat_prepare", { chat }),
  chatRename: (chat, title) => invoke("chat_rename", { chat, title }),
  chatPin: (chat, pinned) => invoke("chat_pin", { chat, pinned }),
  chatArchive: (chat, archived) => invoke("chat_archive", { chat, archived }),
  chatTrash: (chat, trashed) => invoke("chat_trash", { chat, trashed }),
  chatDelete: (chat) => invoke("chat_delete", { chat }),
  trashEmpty: () => invoke("trash_empty"),
  chatEntries: (chat, part) => invoke("chat_entries", { chat, part }),
  chatsExport: (chat, form) => invoke("chats_export", { chat, form }),
  chatMarkdown: (chat) => invoke("chat_markdown", { chat }),
  chatsImportChoose: () => invoke("chats_import_choose"),
  chatsImport: () => invoke("chats_import"),
  chatsImportDrop: () => invoke("chats_import_drop"),
  backupWrite: () => invoke("backup_write"),
  backupChoose: () => invoke("backup_choose"),
  backupWaiting: () => invoke("backup_waiting"),
  backupConfirm: () => invoke("backup_confirm"),
  backupDrop: () => invoke("backup_drop"),
  chatBegin: (text, profile) => invoke("chat_begin", { text, profile }),
  chatSend: (chat, text, attached) => invoke("chat_send", { chat, text, attached }),
  queueAdd: (chat, text, attached) => invoke("queue_add", { chat, text, attached }),
  queueEdit: (chat, message, text) => invoke("queue_edit", { chat, message, text }),
  queueRemove: (chat, message) => invoke("queue_remove", { chat, message }),
  queueSend: (chat, message) => invoke("queue_send", { chat, message }),
  chatStop: (chat) => invoke("chat_stop", { chat }),
  chatRetry: (chat) => invoke("chat_retry", { chat }),
  chatContinue: (chat) => invoke("chat_continue", { chat }),
  messageEdit: (entry, text) => invoke("message_edit", { entry, text }),
  answerRegenerate: (entry) => invoke("answer_regenerate", { entry }),
  messageDelete: (entry) => invoke("message_delete", { entry }),
  summaryEdit: (entry, text) => invoke("summary_edit", { entry, text }),
  summaryUse: (entry, used) => invoke("summary_use", { entry, used }),
  branchShow: (entry) => invoke("branch_show", { entry }),
  callAskAgain: (entry, text) => invoke("call_ask_again", { entry, text }),
  chatWithoutTools: (chat) => invoke("chat_without_tools", { chat }),
  storedPieces: (entry, number, first) => invoke("stored_pieces", { entry, number, first }),
  resultShare: (entry, share) => invoke("result_share", { entry, share }),
  callStop: (entry) => invoke("call_stop", { entry }),
  chatSearch: (search) => invoke("chat_search", { search }),
  chatFind: (chat, search) => invoke("chat_find", { chat, search }),
  chatServerSwitch: (chat, server, on) => invoke("chat_server_switch", { chat, server, on }),
  chatToolSwitch: (chat, tool, on) => invoke("chat_tool_switch", { chat, tool, on }),
  profileSave: (chat, name) => invoke("profile_save", { chat, name }),
  profileRemove: (name) => invoke("profile_remove", { name }),
  chatProfile: (chat, profile) => invoke("chat_profile", { chat, profile }),
  chatMeter: (chat) => invoke("chat_meter", { chat }),
  draftSave: (chat, text) => invoke("draft_save", { chat, text }),
  chatSettings: (chat, settings) => invoke("chat_settings", { chat, settings }),
  chatBudgetSave: (chat, budget) => invoke("chat_budget_save", { chat, budget }),
  chatGoOnOnce: (chat) => invoke("chat_go_on_once", { chat }),
  chatModel: (chat, model) => invoke("chat_model", { chat, model }),
  connectionSave: (draft) => invoke("connection_save", { draft }),
  connectionRemove: (connection) => invoke("connection_remove", { connection }),
  connectionModels: (connection) => invoke("connection_models", { connection }),
  modelsAdd: (connection, names) => invoke("models_add", { connection, names }),
  modelSave: (draft) => invoke("model_save", { draft }),
  modelFavourite: (model, favourite) => invoke("model_favourite", { model, favourite }),
  modelTry: (model) => invoke("model_try", { model }),
  modelRemove: (model) => invoke("model_remove", { model }),
  modelProxy: (baseUrl) => invoke("model_proxy", { baseUrl }),
  modelDetect: () => invoke("model_detect"),
  localModelAdd: (draft) => invoke("local_model_add", { draft }),
  localModelSave: (connection, draft) => invoke("local_model_save", { connection, draft }),
  localModelStart: (connection) => invoke("local_model_start", { connection }),
  localModelStop: (connection) => invoke("local_model_stop", { connection }),
  modelFileChoose: () => invoke("model_file_choose"),
  serverParse: (text) => invoke("server_parse", { text }),
  appConfigs: () => invoke("app_configs"),
  gallerySearch: (search, cursor) => invoke("gallery_search", { search, cursor }),
  bundleChoose: () => invoke("bundle_choose"),
  bundleDropped: () => invoke("bundle_dropped"),
  bundleDownload: (address) => invoke("bundle_download", { address }),
  bundleAdd: (draft) => invoke("bundle_add", { draft }),
  bundleDrop: () => invoke("bundle_drop"),
  networkVariables: () => invoke("network_variables"),
  commandLineSplit: (line) => invoke("command_line_split", { line }),
  serverAdd: (draft) => invoke("server_add", { draft }),
  serverDraft: (server) => invoke("server_draft", { server }),
  serverEditEffects: (server, draft) => invoke("server_edit_effects", { server, draft }),
  serverEdit: (server, draft) => invoke("server_edit", { server, draft }),
  serverRemove: (server) => invoke("server_remove", { server }),
  serverStart: (server) => invoke("server_start", { server }),
  serverStop: (server) => invoke("server_stop", { server }),
  serverUpdate: (server) => invoke("server_update", { server }),
  serverUpdateStop: (server) => invoke("server_update_stop", { server }),
  serverSignIn: (server) => invoke("server_sign_in", { server }),
  serverSignInSettings: (server) => invoke("server_sign_in_settings", { server }),
  serverSignInSet: (server, settings, secrets) => invoke("server_sign_in_set", { server, settings, secrets }),
  serverSignInCancel: (server) => invoke("server_sign_in_cancel", { server }),
  serverSignInPage: (server) => invoke("server_sign_in_page", { server }),
  serverSignOut: (server) => invoke("server_sign_out", { server }),
  serverSwitchAccount: (server) => invoke("server_switch_account", { server }),
  serverSecret: (server, name, value) => invoke("server_secret", { server, name, value }),
  serverUnmute: (server, asking) => invoke("server_unmute", { server, asking }),
  serverToolList: (server) => invoke("server_tool_list", { server }),
  serverListAgain: (server) => invoke("server_list_again", { server }),
  serverVariables: (server) => invoke("server_variables", { server }),
  serverLog: (server, after) => invoke("server_log", { server, after }),
  serverTraffic: (server, after) => invoke("server_traffic", { server, after }),
  toolRule: (server, tool, rule) => invoke("tool_rule", { server, tool, rule }),
  toolsAllow: (server, tools) => invoke("tools_allow", { server, tools }),
  toolReview: (server, tool) => invoke("tool_review", { server, tool }),
  rules: () => invoke("rules"),
  ruleTakeBack: (rule) => invoke("rule_take_back", { rule }),
  ruleChange: (draft) => invoke("rule_change", { draft }),
  ruleTry: (draft) => invoke("rule_try", { draft }),
  rulesExport: () => invoke("rules_export"),
  rulesImport: (text) => invoke("rules_import", { text }),
  rowKeep: (row) => invoke("row_keep", { row }),
  rowRemove: (row) => invoke("row_remove", { row }),
  ledgerPage: (query) => invoke("ledger_page", { query }),
  ledgerVerify: () => invoke("ledger_verify"),
  ledgerExport: (query) => invoke("ledger_export", { query }),
  ledgerSeen: (server) => invoke("ledger_seen", { server }),
  ledgerForgetServer: (server) => invoke("ledger_forget_server", { server }),
  ledgerAccept: () => invoke("ledger_accept"),
  serverOffers: (server) => invoke("server_offers", { server }),
  serverLogLevel: (server, level) => invoke("server_log_level", { server, level }),
  resourceRead: (chat, server, pick) => invoke("resource_read", { chat, server, pick }),
  promptGet: (chat, server, name, values) => invoke("prompt_get", { chat, server, name, values }),
  filesChoose: (chat) => invoke("files_choose", { chat }),
  filesDropped: (chat) => invoke("files_dropped", { chat }),
  picturePaste: (chat) => invoke("picture_paste", { chat }),
  textPaste: (chat, text) => invoke("text_paste", { chat, text }),
  attachmentsWaiting: (chat) => invoke("attachments_waiting", { chat }),
  attachmentDrop: (attachment) => invoke("attachment_drop", { attachment }),
  pictureSave: (picture) => invoke("picture_save", { picture }),
  linkOpen: (chat, entry, address) => invoke("link_open", { chat, entry, address }),
  complete: (server, ask) => invoke("complete", { server, ask }),
  settingsSave: (change) => invoke("settings_save", { change }),
  monthBudgetSave: (budget) => invoke("month_budget_save", { budget }),
  dayBudgetSave: (budget) => invoke("day_budget_save", { budget }),
  currencySave: (currency) => invoke("currency_save", { currency }),
  stopEverything: () => invoke("stop_everything"),
  workspaceCreate: (name) => invoke("workspace_create", { name }),
  workspaceRename: (workspace, name) => invoke("workspace_rename", { workspace, name }),
  workspaceRemove: (workspace) => invoke("workspace_remove", { workspace }),
  folderAdd: (workspace, path) => invoke("folder_add", { workspace, path }),
  folderChoose: (workspace) => invoke("folder_choose", { workspace }),
  folderPick: () => invoke("folder_pick"),
  folderRemove: (workspace, path) => invoke("folder_remove", { workspace, path }),
  foldersShare: (server) => invoke("folders_share", { server }),
  folderUnshare: (server, path) => invoke("folder_unshare", { server, path }),
  chatWorkspace: (chat, workspace) => invoke("chat_workspace", { chat, workspace }),
  samplingBudget: (server) => invoke("sampling_budget", { server }),
  samplingBudgetSave: (server, budget) => invoke("sampling_budget_save", { server, budget }),
});

/** The commands of the consent window over Tauri. */
export const tauriConsent = (): ConsentHost => ({
  open: () => invoke("consent_open"),
  messages: () => invoke("consent_messages"),
  present: (question) => invoke("consent_present", { question }),
  answer: (reply) => invoke("consent_answer", { reply }),
  check: (question, content) => invoke("consent_check", { question, content }),
  keep: (question, nonce, entered) => invoke("consent_keep", { question, nonce, entered }),
  hide: () => invoke("consent_hide"),
  unmute: (server, asking) => invoke("consent_unmute", { server, asking }),
});
