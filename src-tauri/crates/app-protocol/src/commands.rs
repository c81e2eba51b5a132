//! The commands of the windows: name, window, arguments and result of each, in one table. From it come the Tauri commands
//! and their handler (the shell expands it), and the permission files and the TypeScript client (`make bindings`).
//!
//! `async fn` and `sync fn` are methods of `vestibule_host::Host` with this name and these arguments. `window fn` needs the
//! window and has its body in the shell. A command without its function does not compile.

/// Hands the table to the macro with this name. Its types are those in scope where it is expanded.
#[macro_export]
macro_rules! commands {
    ($then:ident) => {
        $then! {
        main {
            /// Subscribes to every event, then reads everything. Events up to `snapshot.seq` are already in the snapshot.
            window fn host_open() -> Snapshot;
            /// Waits for the next events; null where events were lost, and everything has to be read again.
            window fn host_events() -> Option<Vec<Envelope>>;
            /// How far the events go. The reply to a command may come before the events that tell what it did.
            sync fn host_last_event() -> LastEvent;
            window fn question_raise(question: QuestionId);
            /// The answer to `close_asked`: closes the application, or keeps it open.
            window fn window_close(close: bool);

            /// Makes an empty chat; a temporary one is in memory alone and ends with the application.
            async fn chat_create(temporary: bool) -> ChatView;
            /// Prepares what the next message of a chat needs, without sending anything; null for one that has not begun.
            async fn chat_prepare(chat: Option<ChatId>);
            async fn chat_rename(chat: ChatId, title: &str);
            /// Keeps a chat at the top of the list, or no longer.
            async fn chat_pin(chat: ChatId, pinned: bool);
            /// Puts a chat away, or brings it back to the list.
            async fn chat_archive(chat: ChatId, archived: bool);
            /// Stops a chat and moves it to the trash, or brings it back.
            async fn chat_trash(chat: ChatId, trashed: bool);
            /// Deletes a chat for ever.
            async fn chat_delete(chat: ChatId);
            /// Deletes all chats in the trash for ever.
            async fn trash_empty();
            /// Reads a part of a chat's entries.
            async fn chat_entries(chat: ChatId, part: EntriesPart) -> EntriesView;
            /// Writes a chat, or all chats outside the trash, to a file that the user picks in the system's own dialog; null
            /// where none was picked.
            window fn chats_export(chat: Option<ChatId>, form: ChatFileForm) -> Option<ExportedFile>;
            /// The branch that a chat shows as Markdown.
            window fn chat_markdown(chat: ChatId) -> String;
            /// Reads a file of chats that the user picks in the system's own dialog, and says what importing it would add; null
            /// where none was picked. It is kept until it is imported or dropped.
            window fn chats_import_choose() -> Option<ChatImportView>;
            /// Imports what was read of the chosen file. Calls are not made and permissions are not taken.
            async fn chats_import() -> ChatsImported;
            sync fn chats_import_drop();
            /// Writes a backup of the database to a file that the user picks in the system's own dialog; null where none was
            /// picked.
            window fn backup_write() -> Option<BackupWritten>;
            /// Reads a backup that the user picks in the system's own dialog; null where none was picked. A copy of it waits
            /// until it is confirmed or dropped.
            window fn backup_choose() -> Option<BackupView>;
            /// The backup that waits, where there is one.
            sync fn backup_waiting() -> Option<BackupView>;
            /// Has the chosen backup restored at the next start.
            async fn backup_confirm() -> BackupView;
            async fn backup_drop();
            /// Makes a chat, with the profile that it begins with, and sends its first message.
            async fn chat_begin(text: String, profile: Option<String>) -> ChatView;
            /// Sends a message with what was picked for this chat.
            async fn chat_send(chat: ChatId, text: String, attached: Vec<AttachmentId>);
            /// Keeps a message until the model is done, then sends it. A stopped turn sends nothing.
            async fn queue_add(chat: ChatId, text: String, attached: Vec<AttachmentId>);
            async fn queue_edit(chat: ChatId, message: EntryId, text: String);
            async fn queue_remove(chat: ChatId, message: EntryId);
            /// Sends a message that waits now, and stops the model for it where that is at work.
            async fn queue_send(chat: ChatId, message: EntryId);
            sync fn chat_stop(chat: ChatId);
            async fn chat_retry(chat: ChatId);
            /// Lets the model continue an answer that a limit of tokens ended.
            async fn chat_continue(chat: ChatId);
            /// Sends a message of the user once more with another text, as a version of it. What followed it is kept.
            async fn message_edit(entry: EntryId, text: String);
            /// Lets the model answer once more, as a version of the answer that an entry belongs to.
            async fn answer_regenerate(entry: EntryId);
            /// Deletes a message of the user with all its answers; other versions of it stay.
            async fn message_delete(entry: EntryId);
            /// Changes the text of a summary that stands for earlier messages.
            async fn summary_edit(entry: EntryId, text: String);
            /// Sends a summary in place of earlier messages, or the messages again.
            async fn summary_use(entry: EntryId, used: bool);
            /// Shows the branch of an entry.
            async fn branch_show(entry: EntryId);
            /// Asks once more about a call that was denied or skipped; `text` is the user's message that says so.
            async fn call_ask_again(entry: EntryId, text: String);
            /// Lets the model try again without tools, after it refused them.
            async fn chat_without_tools(chat: ChatId);
            /// Reads pieces of a stored text from one on, or of a stored sound as Base64 each: as many as have 256 kB.
            async fn stored_pieces(entry: EntryId, number: u32, first: u32) -> Vec<String>;
            /// Sets how much of a long result the model is given, where the chat waits for that.
            async fn result_share(entry: EntryId, share: ResultShare);
            /// Stops one call, or gives up the task it became; the turn goes on.
            sync fn call_stop(entry: EntryId);
            /// The entries of all chats in which all these words were said.
            async fn chat_search(search: &str) -> ChatSearch;
            /// The places of a text in the branch that a chat shows.
            async fn chat_find(chat: ChatId, search: &str) -> ChatFindView;
            /// Offers the tools of a server in a chat, or no longer.
            async fn chat_server_switch(chat: ChatId, server: ServerId, on: bool);
            /// Offers a single tool in a chat, or no longer.
            async fn chat_tool_switch(chat: ChatId, tool: ToolOff, on: bool);
            /// Saves what a chat is offered as a profile, in place of one of the same name.
            async fn profile_save(chat: ChatId, name: String);
            /// Removes a profile. Chats that took over its set keep it.
            async fn profile_remove(name: &str);
            /// Lets a chat be offered the set of a profile, or everything again.
            async fn chat_profile(chat: ChatId, profile: Option<String>);
            /// What the next request of a chat takes of what its model reads.
            async fn chat_meter(chat: ChatId) -> MeterView;
            /// Keeps what is written in a chat; null for one that has not begun.
            async fn draft_save(chat: Option<ChatId>, text: String);
            /// Sets what a chat asks of its model from the next message on.
            async fn chat_settings(chat: ChatId, settings: ChatSettings);
            /// Sets what a chat may cost. Before it may cost more, the consent window asks.
            async fn chat_budget_save(chat: ChatId, budget: Option<CostBudget>) -> ChangeOutcome;
            /// Lets the model try again although budgets are used up, for one message. The consent window asks first.
            async fn chat_go_on_once(chat: ChatId) -> ChangeOutcome;
            async fn chat_model(chat: ChatId, model: Option<ModelId>) -> ChangeOutcome;

            /// Saves a way to models. A new one, another address and other headers are asked in the consent window.
            async fn connection_save(draft: ConnectionDraft) -> ConnectionSaved;
            /// Removes a connection with its models, its key and its headers.
            async fn connection_remove(connection: ConnectionId);
            /// Asks a connection for the models it offers.
            async fn connection_models(connection: ConnectionId) -> ModelListingView;
            /// Adds models of a connection by their names there. Before a model without a known price is added while a
            /// budget stops, the consent window asks.
            async fn models_add(connection: ConnectionId, names: Vec<String>) -> ModelsAdded;
            /// Saves what the user says of a model. Before its cost counts for less in a budget that stops, the consent
            /// window asks.
            async fn model_save(draft: ModelDraft) -> ChangeOutcome;
            async fn model_favourite(model: ModelId, favourite: bool);
            /// Sends one short message and says which step failed.
            async fn model_try(model: ModelId) -> TrialView;
            async fn model_remove(model: ModelId);
            /// The proxy between this computer and an address. Nothing is sent.
            sync fn model_proxy(base_url: &str) -> Option<String>;
            async fn model_detect() -> Vec<LocalModels>;
            /// Adds a model file with the program that serves it. Nothing is started.
            async fn local_model_add(draft: LocalModelDraft) -> ModelId;
            /// Changes the file and the program of a local model. One that runs is stopped.
            async fn local_model_save(connection: ConnectionId, draft: LocalModelDraft);
            /// Begins to start the program of a local model; the consent window asks first, each time.
            sync fn local_model_start(connection: ConnectionId);
            sync fn local_model_stop(connection: ConnectionId);
            /// Lets the user pick a model file in the system's own dialog; null where none was picked.
            window fn model_file_choose() -> Option<String>;

            sync fn server_parse(text: &str) -> ParsedServers;
            /// Reads the configurations of other applications on this computer. Adds and starts nothing.
            async fn app_configs() -> AppConfigs;
            /// A page of what the registry of the settings lists for these words; the next one with the cursor of this one.
            async fn gallery_search(search: &str, cursor: Option<String>) -> GalleryPage;
            /// Reads a bundle that the user picks in the system's own dialog; null where none was picked. It waits until it is
            /// added or dropped, and nothing of it is unpacked before.
            window fn bundle_choose() -> Option<BundleView>;
            /// Reads the bundle that the user dropped on the window last.
            async fn bundle_dropped() -> BundleView;
            /// Downloads a bundle that the registry listed, and reads it. It has to have the digest that was listed.
            async fn bundle_download(address: &str) -> BundleView;
            /// Unpacks the bundle that was shown and adds its server. Nothing is started.
            async fn bundle_add(draft: BundleDraft) -> ServerId;
            /// Forgets the bundle that waits, and stops a download.
            sync fn bundle_drop();
            /// What this computer sets about its proxy and its certificates. No server gets it unless the user adds it.
            sync fn network_variables() -> Vec<NamedValue>;
            /// Splits a command line into a program and its arguments. Nothing runs.
            sync fn command_line_split(line: &str) -> Vec<String>;
            async fn server_add(draft: ServerDraft) -> ServerId;
            /// A server as the form shows it: the names of its variables or headers, none of their values.
            sync fn server_draft(server: ServerId) -> ServerDraft;
            /// What saving this draft in place of a server would change and end. Changes nothing.
            async fn server_edit_effects(server: ServerId, draft: ServerDraft) -> ServerEditEffects;
            /// Changes a server. One that would start or connect differently is stopped first.
            async fn server_edit(server: ServerId, draft: ServerDraft);
            async fn server_remove(server: ServerId);
            async fn server_start(server: ServerId);
            async fn server_stop(server: ServerId);
            /// Asks the registry for another version of its downloaded package; the consent window asks about one that is found.
            /// Done where there is none.
            async fn server_update(server: ServerId) -> ChangeOutcome;
            /// Stops looking for another version, or downloading it; the server keeps the one it has.
            sync fn server_update_stop(server: ServerId);
            /// Signs in to a server that wants it; the consent window asks first.
            async fn server_sign_in(server: ServerId);
            async fn server_sign_in_settings(server: ServerId) -> SignInSettings;
            /// Sets how to sign in, and signs out. Without a secret the one that is kept stays.
            async fn server_sign_in_set(server: ServerId, settings: SignInSettings, secrets: SignInSecrets);
            sync fn server_sign_in_cancel(server: ServerId);
            /// Opens the page of the current sign-in again.
            async fn server_sign_in_page(server: ServerId);
            async fn server_sign_out(server: ServerId);
            async fn server_switch_account(server: ServerId);
            async fn server_secret(server: ServerId, name: &str, value: String);
            /// Lifts a mute: these questions are asked again. Muting is an answer and belongs to the consent window.
            async fn server_unmute(server: ServerId, asking: RequestKind);
            /// The tools of a server, or those it listed last while it is not connected.
            async fn server_tool_list(server: ServerId) -> ToolList;
            /// Lists the tools of a connected server again.
            sync fn server_list_again(server: ServerId);
            /// The variables whose values decide what runs. Other values are never sent to a window.
            async fn server_variables(server: ServerId) -> Vec<NamedValue>;
            /// The log's lines with numbers above `after`.
            sync fn server_log(server: ServerId, after: u64) -> LogPage;
            sync fn server_traffic(server: ServerId, after: u64) -> TrafficPage;
            /// Allowing raises a question in the consent window; a `tools` event reports the outcome.
            async fn tool_rule(server: ServerId, tool: &str, rule: ToolRule);
            /// Asks once in the consent window about all of these tools that claim to read.
            sync fn tools_allow(server: ServerId, tools: Vec<String>);
            /// Shows again what is held of a server: a tool, or its instructions where there is none.
            sync fn tool_review(server: ServerId, tool: Option<String>);

            async fn rules() -> Vec<RuleView>;
            async fn rule_take_back(rule: RuleId) -> ChangeOutcome;
            /// Narrowing holds at once. Widening raises a question; a `rules` event reports the outcome.
            async fn rule_change(draft: RuleDraft) -> RuleChange;
            async fn rule_try(draft: RuleDraft) -> RuleTrial;
            sync fn rules_export() -> String;
            async fn rules_import(text: &str) -> RulesImported;
            /// Takes a row that was changed from outside into force again; a permission is asked about first.
            async fn row_keep(row: RowRef);
            async fn row_remove(row: RowRef);

            async fn ledger_page(query: LedgerQuery) -> LedgerPage;
            async fn ledger_verify() -> LedgerCheck;
            /// Writes every record that the query finds to a file.
            async fn ledger_export(query: LedgerQuery) -> ExportedFile;
            /// The folders that a server received, and the files and hosts that calls to it named.
            async fn ledger_seen(server: ServerId) -> SeenByServer;
            /// Deletes the name, files and domains of a removed server; its records stay.
            async fn ledger_forget_server(server: ServerId);
            /// Accepts a ledger that is not the newest there was; the consent window asks first.
            async fn ledger_accept() -> ChangeOutcome;

            sync fn server_offers(server: ServerId) -> OffersView;
            async fn server_log_level(server: ServerId, level: LogLevel);
            /// Reads a resource for this chat alone; nothing of it is sent before `chatSend` names it.
            async fn resource_read(chat: ChatId, server: ServerId, pick: ResourcePick) -> AttachmentView;
            /// Expands a prompt for this chat alone; nothing of it is sent before `chatSend` names it.
            async fn prompt_get(chat: ChatId, server: ServerId, name: String, values: BTreeMap<String, String>) -> AttachmentView;
            /// Lets the user pick files in the system's own dialog and attaches them to a chat. Nothing of them is sent before
            /// `chatSend` names it.
            window fn files_choose(chat: ChatId) -> FilesAttached;
            /// Attaches the files that the user dropped on the window last.
            async fn files_dropped(chat: ChatId) -> FilesAttached;
            /// Attaches the picture of the clipboard.
            window fn picture_paste(chat: ChatId) -> FilesAttached;
            /// Attaches a text of the clipboard that is too long for a message.
            window fn text_paste(chat: ChatId, text: String) -> FilesAttached;
            /// What waits in a chat to be sent, in the order it was picked.
            sync fn attachments_waiting(chat: ChatId) -> Vec<AttachmentView>;
            async fn attachment_drop(attachment: AttachmentId);
            /// Writes a picture of a chat to a file that the user picks in the system's own dialog. Returns its path; null where
            /// none was picked.
            window fn picture_save(picture: PicturePlace) -> Option<String>;
            /// Asks in the consent window whether to open the page of a link that a model wrote in this entry. An event tells
            /// how it ended.
            async fn link_open(chat: ChatId, entry: EntryId, address: String) -> ChangeOutcome;
            async fn complete(server: ServerId, ask: CompletionAsk) -> CompletionView;

            /// Changes what is named; everything else stays as it is.
            async fn settings_save(change: SettingsChange);
            /// Sets what the user's models may cost in a month. Before they may cost more, the consent window asks.
            async fn month_budget_save(budget: Option<CostBudget>) -> ChangeOutcome;
            /// The same for a day, from midnight to midnight where the user is.
            async fn day_budget_save(budget: Option<CostBudget>) -> ChangeOutcome;
            /// Sets the currency of the prices that the user entered. While a budget stops, the consent window asks first.
            async fn currency_save(currency: Currency) -> ChangeOutcome;
            async fn stop_everything();

            async fn workspace_create(name: &str) -> WorkspaceId;
            async fn workspace_rename(workspace: WorkspaceId, name: &str);
            async fn workspace_remove(workspace: WorkspaceId) -> ChangeOutcome;
            /// Returns the canonical path.
            async fn folder_add(workspace: WorkspaceId, path: String) -> String;
            /// Lets the user pick a folder in the system's own dialog and adds it; null where none was picked.
            window fn folder_choose(workspace: WorkspaceId) -> Option<String>;
            /// Lets the user pick a folder in the system's own dialog; null where none was picked. It is added nowhere.
            window fn folder_pick() -> Option<String>;
            async fn folder_remove(workspace: WorkspaceId, path: &str);
            /// Asks in the consent window which folders a server may know of.
            sync fn folders_share(server: ServerId);
            async fn folder_unshare(server: ServerId, path: &str);
            async fn chat_workspace(chat: ChatId, workspace: WorkspaceId) -> ChangeOutcome;
            async fn sampling_budget(server: ServerId) -> BudgetView;
            async fn sampling_budget_save(server: ServerId, budget: Budget) -> ChangeOutcome;
        }
        consent {
            /// Subscribes to the questions. The first messages have the whole inbox.
            window fn consent_open();
            /// Waits for the next messages; null where no more will come.
            window fn consent_messages() -> Option<Vec<InboxMessage>>;
            /// Says that this card is in front and painted, which starts its click delay.
            sync fn consent_present(question: QuestionId);
            async fn consent_answer(reply: Reply);
            /// What is wrong with a form as it is filled in, by the rules that will check the answer.
            sync fn consent_check(question: QuestionId, content: Map<String, Value>) -> Vec<FieldError>;
            /// Keeps what was entered on the card with this nonce while its question waits; null keeps nothing.
            sync fn consent_keep(question: QuestionId, nonce: &str, entered: Option<Map<String, Value>>);
            /// Hides the window and answers nothing: everything goes on waiting.
            window fn consent_hide();
            /// Lifts a mute: these questions are asked again.
            window fn consent_unmute(server: ServerId, asking: RequestKind);
        }
        }
    };
}
