//! The host: everything a window can ask for, in one place. It wires the parts together and holds what belongs to
//! no single one of them: which chats are busy, and the user's settings.

mod app_configs;
mod backups;
mod blocking;
mod branches;
mod bundles;
mod chat_export;
mod chat_find;
mod chat_import;
mod chat_meter;
mod chat_search;
pub(crate) mod chat_servers;
pub(crate) mod chat_settings;
mod chat_titles;
mod chat_trash;
mod chat_turns;
mod chats;
pub(crate) mod checkpoints;
mod connections;
mod consent_stream;
mod cost_budgets;
mod drafts;
mod export;
mod features;
mod files;
mod finished;
mod gallery;
mod ledger;
mod ledger_query;
mod links;
mod local_models;
mod model_lists;
mod models;
mod mutes;
mod network_variables;
mod options;
mod package_updates;
mod picture_save;
mod plain_text;
mod profiles;
mod queue;
mod result_shares;
mod rows;
mod rule_files;
mod rule_trial;
mod rules;
mod server_edit;
mod server_tools;
mod servers;
pub(crate) mod settings;
mod sign_in;
mod stored_parts;
mod summaries;
mod tour;
mod turn_setup;
mod widen;
mod windows;
mod workspaces;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use vestibule_config_import::AppFolders;
use vestibule_consent::{Gate, Inbox};
use vestibule_model_setup::{KeptModels, LocalModelSet, Models, OverBudget};
use vestibule_protocol::{ChatId, ServerId};
use vestibule_store::Store;

use chat_servers::OffByChat;
pub use options::{HostOptions, TourServer};
pub use picture_save::NamedPicture;
pub use stored_parts::StoredPicture;

use crate::tasks::Tasks;
use crate::transcript::Transcript;
use crate::turn::{CallStops, PictureScaler, PreparedMessages, ResultChoices};
use crate::view::{
    ChatSource, EventStream, HeadState, HostEvent, Language, LedgerCheck, Problem, RowsView, Settings,
    StateEvents,
};
use vestibule_client_features::{ClientFeatures, MAX_REQUESTS, SamplingContext};
use vestibule_folders::Folders;
use vestibule_servers::attachments::Attachments;
use vestibule_servers::config::network::NetworkVariables;
use vestibule_servers::config::secrets::Secrets;
use vestibule_servers::{
    CallbackPage, CallbackPageSource, HelperProgram, ServerHandle, Servers, ServersOptions,
};

/// How long closing may take until backups and exports that are still being written are given up. The shell gives it 10 s.
const FILES: Duration = Duration::from_secs(8);

/// The host. Cheap to clone; all clones are one host.
#[derive(Clone)]
pub struct Host(Arc<HostInner>);

struct HostInner {
    store: Store,
    secrets: Arc<dyn Secrets>,
    models: Models,
    events: EventStream,
    chat_events: StateEvents,
    row_events: StateEvents,
    inbox: Inbox,
    gate: Arc<Gate>,
    servers: Servers,
    folders: Folders,
    client_features: ClientFeatures,
    transcript: Transcript,
    followed: Tasks,
    attachments: Attachments,
    /// The files that were dropped on the window last and are not attached yet.
    dropped: Mutex<Vec<PathBuf>>,
    /// The newest question for proposals, by server.
    completing: Mutex<HashMap<ServerId, CancellationToken>>,
    settings: watch::Sender<Settings>,
    saving_settings: tokio::sync::Mutex<()>,
    /// Held while a checkpoint is written, so that one place is not signed twice.
    signing: tokio::sync::Mutex<()>,
    /// Whether the ledger is the newest there was, as found at the start.
    ledger_head: Mutex<HeadState>,
    /// What the last check of the whole ledger came to, in this run.
    ledger_check: Mutex<Option<LedgerCheck>>,
    /// Which rules, servers and tools were changed outside Vestibule.
    rows: Mutex<RowsView>,
    turns: Mutex<HashMap<ChatId, chat_turns::RunningTurn>>,
    titles: chat_titles::TitleRequests,
    finished_turns: finished::Turns,
    pictures: PictureScaler,
    worker: HelperProgram,
    calls: CallStops,
    result_choices: ResultChoices,
    prepared: PreparedMessages,
    /// Held while a choice about a long result is made.
    choosing_results: tokio::sync::Mutex<()>,
    switched_off: Mutex<OffByChat>,
    /// The chats that were imported, and from whose files.
    imported: Mutex<HashMap<ChatId, ChatSource>>,
    /// What was read of a file of chats and waits for the user's word.
    chosen_import: Mutex<Option<chat_import::ChosenImport>>,
    /// The backup that waits to be restored.
    chosen_backup: Mutex<Option<backups::ChosenBackup>>,
    bundles: bundles::WaitingBundles,
    queues: Mutex<queue::Queues>,
    /// Held while it is changed which servers and tools are off in a chat.
    changing_switches: tokio::sync::Mutex<()>,
    /// Held while what waits in a chat is changed.
    changing_queues: tokio::sync::Mutex<()>,
    tasks: TaskTracker,
    /// The backups and exports that are being written.
    parts: export::PartFiles,
    data_folder: PathBuf,
    app_folders: AppFolders,
    network_variables: NetworkVariables,
    /// When this run began.
    opened: Timestamp,
}

fn in_language(settings: &watch::Sender<Settings>, page: fn(Language) -> CallbackPage) -> CallbackPageSource {
    let settings = settings.subscribe();
    Arc::new(move || page(settings.borrow().language))
}

impl Host {
    /// Opens the host over what is on disk. Servers that ran at the last end start again only where a permission
    /// for exactly that start still stands.
    ///
    /// # Errors
    /// When the data cannot be read.
    pub async fn open(options: HostOptions) -> Result<Self, Problem> {
        let HostOptions {
            store,
            secrets,
            guard,
            worker,
            browser,
            callback_page,
            proxies,
            data_folder,
            own_folders,
            app_folders,
            network_variables,
            tour,
        } = options;
        let ledger_head = ledger::compare_head(&store, &*secrets).await?;
        let rows = crate::rows::open(&store, &*secrets, &ledger_head).await?;
        let events = EventStream::default();
        let inbox = Inbox::default();
        let gate = Arc::new(Gate::open(store.clone(), inbox.clone(), Timestamp::now).await?);
        let attachments = Attachments::default();
        files::load(&store, &attachments).await?;
        let models = Models {
            store: store.clone(),
            secrets: secrets.clone(),
            proxies: proxies.clone(),
            kept: KeptModels::default(),
            local: LocalModelSet::default(),
            over_budget: OverBudget::default(),
            model_events: StateEvents::new(events.clone()),
            cost_events: StateEvents::new(events.clone()),
        };
        let transcript = Transcript::new(store.clone(), events.clone());
        transcript.close_interrupted().await?;
        vestibule_model_setup::add_rehearsal(&store).await?;
        vestibule_model_setup::merge_connections(&models).await?;
        let pictures = PictureScaler::new(worker.clone());
        let settings = watch::Sender::new(vestibule_model_setup::load_settings(&store).await?);
        let switched_off = chat_servers::load(&store).await?;
        let imported = chat_import::load(&store).await?;
        let queues = queue::load(&store).await?;
        let (servers, requests) = Servers::new(ServersOptions {
            store: store.clone(),
            gate: gate.clone(),
            secrets: secrets.clone(),
            events: events.clone(),
            attachments: attachments.clone(),
            guard,
            worker: worker.clone(),
            browser: browser.clone(),
            callback_page: in_language(&settings, callback_page),
            proxies,
            data_folder: data_folder.clone(),
            client_capabilities: ClientFeatures::declared(),
            max_requests: MAX_REQUESTS,
            call_timeout: Duration::from_secs(settings.borrow().call_timeout_s.into()),
        });
        models.local.load(&store, servers.clone()).await?;
        let folders = Folders::new(store.clone(), events.clone());
        let own: Vec<PathBuf> = own_folders.into_iter().chain([data_folder.clone()]).collect();
        folders.protect(&own);
        let sampling = SamplingContext {
            store: store.clone(),
            models: Arc::new(models.clone()),
        };
        let client_features =
            ClientFeatures::new(gate.clone(), browser, servers.clone(), folders.clone(), sampling);
        client_features.follow(requests);
        let followed = Tasks::new(store.clone(), gate.clone(), servers.clone(), transcript.clone());
        let host = Self(Arc::new(HostInner {
            store,
            secrets,
            models,
            chat_events: StateEvents::new(events.clone()),
            row_events: StateEvents::new(events.clone()),
            events,
            inbox,
            gate,
            servers,
            folders,
            client_features,
            transcript,
            followed,
            attachments,
            dropped: Mutex::default(),
            completing: Mutex::default(),
            settings,
            saving_settings: tokio::sync::Mutex::default(),
            signing: tokio::sync::Mutex::default(),
            ledger_head: Mutex::new(ledger_head),
            ledger_check: Mutex::default(),
            rows: Mutex::new(RowsView {
                protection: rows.protection,
                unproven_tools: rows.unproven_tools,
                list_changed: rows.list_changed,
                findings: vec![],
            }),
            turns: Mutex::default(),
            titles: chat_titles::TitleRequests::default(),
            finished_turns: finished::Turns::default(),
            pictures,
            worker,
            calls: CallStops::default(),
            result_choices: ResultChoices::default(),
            prepared: PreparedMessages::default(),
            choosing_results: tokio::sync::Mutex::default(),
            switched_off: Mutex::new(switched_off),
            imported: Mutex::new(imported),
            chosen_import: Mutex::default(),
            chosen_backup: Mutex::default(),
            bundles: bundles::WaitingBundles::default(),
            queues: Mutex::new(queues),
            changing_switches: tokio::sync::Mutex::default(),
            changing_queues: tokio::sync::Mutex::default(),
            tasks: TaskTracker::new(),
            parts: export::PartFiles::default(),
            data_folder,
            app_folders,
            network_variables,
            opened: Timestamp::now(),
        }));
        for checked in host.0.store.checked_servers().await? {
            if let Some(record) = checked.row {
                host.0.servers.add(record).await;
            }
        }
        host.remove_bundles_not_added().await;
        if let Err(problem) = host.note_faulty_rows().await {
            tracing::warn!(%problem, "rows that were changed from outside could not be written to the ledger");
        }
        host.find_rows().await?;
        host.watch_over_rows();
        host.offer_tour(tour.as_ref()).await?;
        host.tell_of_waiting();
        host.tell_of_muted();
        host.watch_folders();
        host.tell_of_rules();
        host.check_ledger();
        host.index_chats();
        host.watch_over_ledger();
        let tasks = &host.0.tasks;
        let spawn = |resumed| drop(tasks.spawn(resumed));
        host.0.followed.resume(spawn).await;
        host.start_wanted(tour);
        Ok(host)
    }

    /// Ends everything: questions are answered with "not now", turns and servers stop, the store is closed.
    pub async fn close(&self) {
        let files_until = Instant::now() + FILES;
        self.0.followed.abandon();
        self.0.inbox.close();
        self.turns().values_mut().for_each(chat_turns::RunningTurn::stop);
        self.0.titles.stop();
        // A task waits for the download of another version of a package, and the servers close after the tasks.
        self.0.servers.all().iter().for_each(ServerHandle::stop_update);
        self.0.models.local.close().await;
        self.0.tasks.close();
        // The gate closes after everything with an effect: it waits for the ends to be written to the ledger.
        self.0.tasks.wait().await;
        self.0.client_features.close().await;
        self.0.servers.close().await;
        self.0.gate.close().await;
        self.secure_ledger().await;
        self.remember_rows().await;
        self.0.parts.close(files_until).await;
        self.0.store.close().await;
    }

    /// Stops all turns, all servers and all programs that serve models, which withdraws their questions, and takes back every permission that was
    /// given in this run. What fails does not keep the rest from ending.
    ///
    /// # Errors
    /// The first thing that could not be written down.
    pub async fn stop_everything(&self) -> Result<(), Problem> {
        self.0.followed.cancel_all();
        self.turns().values_mut().for_each(chat_turns::RunningTurn::stop);
        self.0.titles.stop();
        self.0.models.local.stop_all();
        let revoked = self.0.gate.rules().take_back_since(self.0.opened).await;
        let mut stopped = vec![];
        for server in self.0.servers.all() {
            server.stop_update();
            stopped.push(self.server_stop(server.id()).await);
            server.tools_changed();
        }
        revoked?;
        stopped.into_iter().collect()
    }

    /// How many chats are at work and how many requests wait, where closing would end either.
    #[must_use]
    pub fn unfinished(&self) -> Option<(u32, u32)> {
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let (chats, requests) = (
            count(self.turns().len()),
            count(self.0.inbox.snapshot().cards.len()),
        );
        (chats > 0 || requests > 0).then_some((chats, requests))
    }

    /// Asks the user in the main window whether to close all the same.
    pub fn ask_to_close(&self, chats: u32, requests: u32) {
        self.0.events.tell(HostEvent::CloseAsked { chats, requests });
    }

    fn off_by_chat(&self) -> MutexGuard<'_, OffByChat> {
        self.0.switched_off.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn queues(&self) -> MutexGuard<'_, queue::Queues> {
        self.0.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn turns(&self) -> MutexGuard<'_, HashMap<ChatId, chat_turns::RunningTurn>> {
        self.0.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
