//! Roots: a server asks for its folders. It gets those that the user shares with it, each checked again at that moment.
//! Where nothing was decided yet the user is asked, and a denial is an empty list.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use vestibule_consent::EffectEnd;
use vestibule_protocol::{ServerId, json_length};

use super::{AcceptedRequest, ClientFeatures, INTERNAL, NOT_KEPT, Wanted};
use vestibule_app_protocol::Problem;
use vestibule_folders::root;

pub(crate) async fn roots(features: &ClientFeatures, asking: AcceptedRequest) {
    match features.while_wanted(&asking, known(features, &asking)).await {
        Wanted::Done(Ok(folders)) => tell(features, asking, folders).await,
        Wanted::Done(Err(problem)) => {
            tracing::error!(%problem, "failed to answer roots/list");
            asking
                .reply
                .refuse(INTERNAL, "the folders cannot be read at the moment");
        }
        Wanted::Withdrawn | Wanted::Over => asking.reply.reply(&json!({ "roots": [] })),
    }
}

/// The folders to send: those shared before, or those the user shares now.
async fn known(features: &ClientFeatures, asking: &AcceptedRequest) -> Result<Vec<String>, Problem> {
    let server = asking.face.id;
    let folders = &features.0.folders;
    if !folders.is_decided(server).await? {
        let asked_before = features.0.rounds.load(Ordering::SeqCst);
        let mut turn = features.turn_of(server).await;
        // Requests that waited for this question asked the same and get the same answer.
        if *turn <= asked_before && !folders.is_decided(server).await? {
            folders
                .ask(&features.0.gate, &asking.face, asking.cause())
                .await?;
            *turn = features.0.rounds.fetch_add(1, Ordering::SeqCst) + 1;
        }
    }
    folders.tellable(server).await
}

async fn tell(features: &ClientFeatures, asking: AcceptedRequest, folders: Vec<String>) {
    if folders.is_empty() {
        return asking.reply.reply(&json!({ "roots": [] }));
    }
    let permit = match features.0.gate.tell_roots(asking.face.id, folders).await {
        Ok(permit) => permit,
        Err(error) => {
            tracing::error!(%error, "failed to record shared roots in the ledger");
            return asking.reply.refuse(INTERNAL, NOT_KEPT);
        }
    };
    let (told, effect) = permit.begin().split();
    // A folder can be swapped for a link while the ledger is written, so the folders are checked again here.
    let there = features.0.folders.still_there(told.folders).await;
    let roots: Vec<Value> = there.iter().filter_map(|path| root(path)).collect();
    let answer = json!({ "roots": roots });
    asking.reply.reply(&answer);
    let bytes = json_length(&answer);
    effect.finish_of_size(EffectEnd::Sent, bytes).await;
    record(features, told.server, there).await;
}

/// Records what a server received, and tells the servers whose folders turned out to be others.
async fn record(features: &ClientFeatures, server: ServerId, folders: Vec<String>) {
    let changed = match features.0.folders.record_shared(server, folders).await {
        Ok(changed) => changed,
        Err(problem) => {
            return tracing::error!(%problem, "failed to persist which roots a server received");
        }
    };
    for server in changed {
        if let Ok(server) = features.0.servers.get(server) {
            server.roots_changed().await;
        }
    }
}
