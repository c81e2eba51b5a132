//! What the rest of the application does with one server: its tools, calls, features, logs and sign-in. Each method hands
//! on to the part of `servers` that does it.

use std::sync::Arc;

use secrecy::SecretString;
use tokio::sync::mpsc;
use vestibule_consent::{CallTool, Cause, GetPrompt, Permit, ReadResource};
use vestibule_policy::{Action, Decision, Digest};
use vestibule_protocol::AttachmentId;
use vestibule_protocol::mcp::{
    Completion, CompletionParams, GetPromptResult, LogLevel, Progress, ReadResourceResult,
};
use vestibule_protocol::task::TaskRecord;
use vestibule_store::ServerPlace;

use super::handle::ServerHandle;
use crate::auth::{settings, sign_in, sign_out};
use crate::call::task::TaskFollower;
use crate::call::tool::ToolCallOutcome;
use crate::call::{read, task, tool};
use crate::catalog::features::{self, ServerFeatures};
use crate::catalog::reviews::ReviewKey;
use crate::catalog::tools::{CatalogTool, HeldTool};
use crate::catalog::{last_listed, reviews, watches};
use crate::config::launch::{self, Brought};
use crate::open::http::connect_plan;
use vestibule_app_protocol::{
    LogPage, LogSource, OffersView, Problem, SignInSettings, ToolList, ToolRule, ToolView, TrafficPage,
};

impl ServerHandle {
    /// Whether the server may be started or connected without a question, as it would be now.
    pub async fn may_open(&self) -> bool {
        let opening = self.opening().await;
        opening.is_some_and(|(action, digest)| self.gate().rules().may_open(self.id(), action, digest))
    }

    /// What starting or connecting the server would be, and its digest; `None` where that is not possible.
    pub async fn opening(&self) -> Option<(Action, Digest)> {
        let record = self.record();
        match &record.place {
            ServerPlace::Here(program) => {
                let search_path = self.context().search_path().await;
                let folder = self.working_folder_of(program);
                let brought = Brought::of(self);
                let plan =
                    launch::plan_server(&record, program, self.secrets(), search_path, folder, &brought)
                        .await;
                plan.ok().map(|plan| (Action::StartServer, plan.digest))
            }
            ServerPlace::Address(endpoint) => {
                let plan = connect_plan(self, &record, endpoint).await;
                plan.ok().map(|plan| (Action::ConnectServer, plan.digest))
            }
        }
    }

    /// Its tools, each with the user's rule for it.
    pub fn tools(&self) -> Vec<ToolView> {
        let tools = self.read(|snapshot| snapshot.tools.clone());
        tools.iter().map(|tool| self.tool_view(tool)).collect()
    }

    /// Its tools, or those it listed last while it is not connected.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn tool_list(&self) -> Result<ToolList, Problem> {
        let tools = self.tools();
        if !tools.is_empty() || self.active().is_some() {
            return Ok(ToolList {
                tools,
                listed_ms: None,
            });
        }
        let Some(last) = last_listed::recall(self).await? else {
            return Ok(ToolList::default());
        };
        let view = |tool: &CatalogTool| ToolView {
            unchecked_arguments: None,
            ..self.tool_view(tool)
        };
        Ok(ToolList {
            tools: last.tools.iter().map(view).collect(),
            listed_ms: Some(last.at_ms),
        })
    }

    fn tool_view(&self, tool: &CatalogTool) -> ToolView {
        let face = tool.face();
        let rules = self.gate().rules();
        let decision = rules.tool_decision(self.id(), &face.name, tool.digest);
        let output = tool.schemas.output.as_ref();
        ToolView {
            name: face.name,
            title: face.title,
            description: face.description,
            claims: face.claims,
            input_schema: tool.tool.input_schema().clone(),
            rule: tool_rule(decision),
            held: tool.held.is_some(),
            is_new: tool.held == Some(HeldTool::New),
            tokens: tool.tokens,
            unchecked_arguments: tool.schemas.input.as_ref().err().cloned(),
            unchecked_results: output.and_then(|output| output.as_ref().err().cloned()),
        }
    }

    /// Shows the user again what is held: a tool, or the instructions.
    pub fn review(&self, tool: Option<String>) {
        reviews::review(self, tool.map_or(ReviewKey::Instructions, ReviewKey::Tool));
    }

    /// Lists the tools again, where the server is connected; and the rest, where that wants a sign-in first.
    pub fn list_again(&self) {
        if let Some(active) = self.active() {
            active.refresh.tools();
            if self.features().sign_in_problem.is_some() {
                active.refresh.features_with_sign_in();
            }
        }
    }

    /// Whether arguments that a schema marks are also sent to it as HTTP headers.
    pub fn takes_argument_headers(&self) -> bool {
        self.active()
            .is_some_and(|active| active.session.sends_argument_headers())
    }

    /// Calls the tool the permit is for, with exactly its arguments.
    pub async fn call(
        &self,
        permit: Permit<CallTool>,
        cause: Option<Cause>,
        progress: mpsc::Sender<Progress>,
    ) -> Result<ToolCallOutcome, Problem> {
        tool::call(self, permit, cause, progress).await
    }

    /// Reads the resource the permit is for.
    pub async fn read_resource(&self, permit: Permit<ReadResource>) -> Result<ReadResourceResult, Problem> {
        read::read_resource(self, permit).await
    }

    /// Expands the prompt the permit is for.
    pub async fn get_prompt(&self, permit: Permit<GetPrompt>) -> Result<GetPromptResult, Problem> {
        read::get_prompt(self, permit).await
    }

    /// Asks for proposals for a field.
    pub async fn complete(&self, params: &CompletionParams) -> Result<Completion, Problem> {
        read::complete(self, params).await
    }

    /// Follows a task that was begun in an earlier session, once the server is connected. `ended` is the number of a
    /// session that is over.
    pub async fn find_task(
        &self,
        record: &TaskRecord,
        cause: Cause,
        ended: Option<u64>,
    ) -> Result<TaskFollower, Problem> {
        task::find(self, record, cause, ended).await
    }

    /// Asks the server to cancel a task, where it is connected.
    pub fn cancel_task(&self, record: TaskRecord) {
        task::cancel(self, record);
    }

    /// What it offers besides tools.
    pub fn features(&self) -> Arc<ServerFeatures> {
        self.read(|snapshot| snapshot.features.clone())
    }

    /// The same as a window shows it.
    pub fn features_view(&self) -> OffersView {
        features::view(self)
    }

    /// Asks a connected server to log from a level up.
    pub async fn set_log_level(&self, level: LogLevel) -> Result<(), Problem> {
        features::set_log_level(self, level).await
    }

    /// Watches a resource for an attachment.
    pub async fn watch(&self, uri: &str, attachment: AttachmentId) {
        watches::watch(self, uri, attachment).await;
    }

    /// Ends the watch for an attachment that is not shown any more.
    pub fn unwatch(&self, uri: &str, attachment: AttachmentId) {
        watches::unwatch(self, uri, attachment);
    }

    /// The lines of its log after line `after`.
    pub fn log(&self, after: u64) -> LogPage {
        self.server_log().after(after)
    }

    /// The traffic that is new since change `after`.
    pub fn traffic(&self, after: u64) -> TrafficPage {
        self.traffic_log().after(after)
    }

    /// How to sign in to it, as the user set it.
    pub async fn sign_in_settings(&self) -> Result<SignInSettings, Problem> {
        settings::sign_in_settings(self).await
    }

    /// Stops the server, forgets its sign-in and sets how to sign in from now on. `secrets` replace those that are kept.
    pub async fn set_sign_in_settings(
        &self,
        settings: &SignInSettings,
        secrets: [Option<SecretString>; 2],
    ) -> Result<(), Problem> {
        settings::set_sign_in_settings(self, settings, secrets).await
    }

    /// Cancels the sign-in under way.
    pub fn cancel_sign_in(&self) {
        sign_in::cancel(self);
    }

    /// Opens the page of the sign-in under way once more.
    pub async fn open_page_again(&self) -> Result<(), Problem> {
        sign_in::open_page_again(self).await
    }

    /// Forgets the sign-in, here and where it was made.
    pub async fn sign_out(&self) -> Result<(), Problem> {
        sign_out::sign_out(self).await
    }

    /// The same, and withdraws the client registration where no other server needs it.
    pub async fn sign_out_for_good(&self) -> Result<(), Problem> {
        sign_out::sign_out_for_good(self).await
    }

    /// The next sign-in may be one with another account.
    pub fn switch_account(&self) {
        if let Some(auth) = self.auth() {
            auth.authorizer.as_another();
        }
    }

    /// Forgets the sign-in at an address that the server is about to leave. `forget_settings` says that how to
    /// sign in is forgotten too. What may still be valid at the old address is written to the server's log.
    pub async fn leave_sign_in(&self, forget_settings: bool) -> Result<(), Problem> {
        if let Some(left) = sign_out::forget(self).await? {
            self.note(LogSource::Host, Some("warning".into()), &left.to_string());
        }
        if forget_settings {
            settings::forget_sign_in_settings(self).await?;
        }
        Ok(())
    }

    /// Sets up signing in for the address of now.
    pub async fn set_up_sign_in(&self) {
        crate::auth::set_up(self).await;
        self.publish();
    }

    /// Forgets everything about signing in, because the server is being removed. Gives back what may still be valid
    /// where it was made.
    pub async fn forget_sign_in(&self) -> Result<Option<Problem>, Problem> {
        let left = sign_out::forget(self).await?;
        settings::forget_sign_in_settings(self).await?;
        Ok(left)
    }
}

fn tool_rule(decision: Decision) -> ToolRule {
    match decision {
        Decision::Allow => ToolRule::Allow,
        Decision::Ask => ToolRule::Ask,
        Decision::Deny => ToolRule::Never,
    }
}
