//! Changes a saved server. It keeps its id, its log, its denials and the accepted definitions of its tools. What was
//! allowed of one program or one address does not hold for another.

mod plan;

use secrecy::SecretString;
use serde_json::json;
use vestibule_policy::Rule;
use vestibule_protocol::ServerId;
use vestibule_servers::{ServerHandle, forget_listed_tools};
use vestibule_store::{LedgerKind, ServerChange, ServerPlace, ServerRecord};

use plan::{EditPlan, ValueChange, drafted_folder, without_values};

use super::Host;
use super::rules::view;
use super::servers::placed;
use crate::view::{
    EndpointDraft, PlaceDraft, Problem, ProgramDraft, RuleView, ServerDraft, ServerEditEffects,
};

impl Host {
    /// A server as the form shows it: the names of its variables or headers, none of their values.
    ///
    /// # Errors
    /// When it is gone.
    pub fn server_draft(&self, server: ServerId) -> Result<ServerDraft, Problem> {
        let ServerRecord { name, place, era, .. } = self.0.servers.get(server)?.record();
        let place = match place {
            ServerPlace::Here(program) => PlaceDraft::Here(ProgramDraft {
                folder: drafted_folder(&program),
                env: without_values(program.env),
                command: program.command,
                args: program.args,
            }),
            ServerPlace::Address(endpoint) => PlaceDraft::Address(EndpointDraft {
                url: endpoint.url,
                transport: endpoint.transport,
                headers: without_values(endpoint.headers),
            }),
        };
        Ok(ServerDraft { name, place, era })
    }

    /// What saving this draft in place of a server would change and end. Changes nothing.
    ///
    /// # Errors
    /// Where the draft could not be saved.
    pub async fn server_edit_effects(
        &self,
        server: ServerId,
        draft: ServerDraft,
    ) -> Result<ServerEditEffects, Problem> {
        let handle = self.0.servers.get(server)?;
        let plan = self.plan_edit(&handle, draft)?;
        let rules = self.0.gate.rules().of_server(server).into_iter().rev();
        let (ends, stays): (Vec<Rule>, Vec<Rule>) = rules
            .filter(|rule| plan.speaks_of(rule))
            .partition(|rule| plan.moves && rule.ends_with_place());
        let shown = |rules: Vec<Rule>| -> Vec<RuleView> {
            let name = &plan.after.name;
            rules.iter().map(|rule| view(rule, name.clone(), None)).collect()
        };
        Ok(ServerEditEffects {
            changes: plan.changes(),
            restarts: plan.restarts(),
            reviewed: plan.opens_another(),
            moves: plan.moves,
            ends: shown(ends),
            stays: shown(stays),
            unshared: self.unshared(&plan).await?,
            signs_out: plan.leaves_address() && handle.view().sign_in.is_some_and(|held| held.held.is_some()),
            lost: plan.lost,
        })
    }

    /// Changes a server. One that would start or connect differently is stopped first, and reviewed before it starts
    /// again. Another program or another address ends what was allowed of the one before. A name without a value keeps
    /// the value that it has.
    ///
    /// # Errors
    /// When the draft is not complete, the name is taken, or something could not be kept. The server is then as before,
    /// but stopped, and signed out where its address was to change.
    pub async fn server_edit(&self, server: ServerId, draft: ServerDraft) -> Result<(), Problem> {
        let handle = self.0.servers.get(server)?;
        let _one_at_a_time = self.begin_server_change(&handle).await?;
        let plan = self.plan_edit(&handle, draft)?;
        if !plan.changes() {
            return Ok(());
        }
        if plan.restarts() {
            self.0.gate.server_changes(server);
            handle.stop_and_wait().await;
        }
        let written = self.write_values(plan.value_changes()).await?;
        if let Err(problem) = self.write_edit(&handle, &plan).await {
            self.restore_values(written).await;
            return Err(problem);
        }
        self.apply_edit(&handle, &plan).await
    }

    fn plan_edit(&self, handle: &ServerHandle, draft: ServerDraft) -> Result<EditPlan, Problem> {
        let before = handle.record();
        let name = self.checked_name(&draft.name, Some(before.id))?;
        let (place, pairs) = placed(self.with_network_values(draft.place))?;
        let after = ServerRecord {
            name,
            place,
            era: draft.era,
            ..before.clone()
        };
        Ok(EditPlan::new(before, after, pairs))
    }

    async fn unshared(&self, plan: &EditPlan) -> Result<Vec<String>, Problem> {
        if !plan.moves {
            return Ok(vec![]);
        }
        let shares = self.0.store.shares().await?.into_iter();
        let of_server = shares.filter(|share| share.server == plan.before.id);
        Ok(of_server.map(|share| share.path).collect())
    }

    /// Writes what changes and what ends to the disk, as one. What was signed in at an address that is left is forgotten
    /// before, so that no later address can get it.
    async fn write_edit(&self, handle: &ServerHandle, plan: &EditPlan) -> Result<(), Problem> {
        if plan.leaves_address() {
            handle.leave_sign_in(plan.leaves_site()).await?;
        }
        let rules = self.0.gate.rules().of_server(plan.before.id).into_iter();
        let ended = rules.filter(|rule| plan.moves && rule.ends_with_place());
        let ended: Vec<_> = ended.map(|rule| rule.id).collect();
        let unshared = self.unshared(plan).await?;
        let mut records = vec![plan.record(
            LedgerKind::Config,
            "server.edit",
            json!({ "changed": plan.parts() }),
        )];
        if !ended.is_empty() {
            records.push(plan.record(LedgerKind::Revoke, "server.edit", json!({ "rules": ended })));
        }
        if !unshared.is_empty() {
            records.push(plan.record(LedgerKind::Revoke, "roots.share", json!({ "folders": unshared })));
        }
        let change = ServerChange {
            server: plan.after.clone(),
            records,
            ended,
            unshared: !unshared.is_empty(),
        };
        Ok(self.0.store.change_server(change).await?)
    }

    /// Makes what is on disk hold in this run, also where something of it cannot be cleaned up.
    async fn apply_edit(&self, handle: &ServerHandle, plan: &EditPlan) -> Result<(), Problem> {
        let server = plan.before.id;
        let ended = match plan.moves {
            true => self.0.gate.rules().end_permissions(server).await,
            false => Ok(()),
        };
        handle.set_record(plan.after.clone());
        if plan.restarts() {
            // It may have been started while the change was written.
            handle.stop_and_wait().await;
            handle.look_for_variables().await;
        }
        if plan.moves {
            handle.set_up_sign_in().await;
        }
        self.tool_rules_changed(server);
        ended?;
        if plan.moves {
            forget_listed_tools(&self.0.store, server).await?;
            self.folders_changed().await?;
        }
        Ok(())
    }

    /// Writes values to the keychain: all, or none. Gives back what was there before.
    async fn write_values(&self, changes: Vec<ValueChange>) -> Result<Vec<ValueChange>, Problem> {
        let mut before = vec![];
        for change in changes {
            match self.write_value(&change).await {
                Ok(value) => before.push(ValueChange {
                    name: change.name,
                    value,
                }),
                Err(problem) => {
                    self.restore_values(before).await;
                    return Err(problem);
                }
            }
        }
        Ok(before)
    }

    /// Writes a value, and gives back the one before.
    async fn write_value(&self, change: &ValueChange) -> Result<Option<SecretString>, Problem> {
        let secrets = &self.0.secrets;
        let before = secrets.get(&change.name).await?;
        match &change.value {
            Some(value) => secrets.set(&change.name, value).await?,
            None => secrets.remove(&change.name).await?,
        }
        Ok(before)
    }

    async fn restore_values(&self, before: Vec<ValueChange>) {
        for change in before {
            if self.write_value(&change).await.is_err() {
                tracing::error!(name = %change.name, "failed to restore a value after a change that failed");
            }
        }
    }
}
