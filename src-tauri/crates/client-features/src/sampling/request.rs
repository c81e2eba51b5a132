//! Sampling: a server's request passes two cards before its answer goes back. One request of a server runs at a time, so
//! that its cost is known before the next. A denial on either card reaches the server as the protocol's error for it.

use serde_json::{Map, Value};
use vestibule_consent::{
    Denied, EffectEnd, Permit, ReplyEdit, ReplyRequest, ResultFacts, RunSample, SampleReply, SampleRequest,
    SendReply, Validate,
};
use vestibule_protocol::Revision;
use vestibule_protocol::json::RawJson;

use super::{Manner, ModelAddresses, NotSampled, SamplingRequest};
use crate::sampling;
use crate::{AcceptedRequest, ClientFeatures, INTERNAL, INVALID_PARAMS, Wanted};

/// The protocol's code and message for a denial by the user.
const REJECTED: i64 = -1;
const REJECTED_WORDS: &str = "User rejected sampling request";

/// Why a server gets no reply.
struct No {
    code: i64,
    words: &'static str,
}

pub(crate) async fn sample(features: &ClientFeatures, asking: AcceptedRequest, params: RawJson<'_>) {
    // Tools and lists of blocks came with one revision.
    let tools = asking.session.info().revision >= Revision::V2025_11_25;
    let wanted = match sampling::read(params, tools) {
        Ok(wanted) => wanted,
        Err(reason) => return asking.reply.refuse(INVALID_PARAMS, reason),
    };
    match features
        .while_wanted(&asking, sampled(features, &asking, wanted))
        .await
    {
        Wanted::Done(Ok((permit, reply))) => say(asking, permit, &reply, tools).await,
        Wanted::Done(Err(no)) => asking.reply.refuse(no.code, no.words),
        Wanted::Withdrawn | Wanted::Over => asking.reply.refuse(REJECTED, REJECTED_WORDS),
    }
}

async fn sampled(
    features: &ClientFeatures,
    asking: &AcceptedRequest,
    wanted: SamplingRequest,
) -> Result<(Permit<SendReply>, SampleReply), No> {
    let tools = wanted.tools.clone();
    let manner = Manner {
        tool_use: wanted.tool_use,
        temperature: wanted.temperature,
        stop: wanted.stop.clone(),
    };
    let (permit, addresses) = approve_prompt(features, asking, wanted).await?;
    let _turn = features.turn_of(asking.face.id).await;
    let reply = sampling::run(&features.0.sampling, permit, &addresses, &tools, &manner)
        .await
        .map_err(|error| not_sampled(asking, &error))?;
    let permit = approve_reply(features, asking, &reply).await?;
    Ok((permit, reply))
}

/// Shows the user what the server wants to ask a model.
async fn approve_prompt(
    features: &ClientFeatures,
    asking: &AcceptedRequest,
    wanted: SamplingRequest,
) -> Result<(Permit<RunSample>, ModelAddresses), No> {
    let (prompt, validate, addresses) = sampling::prompt(&features.0.sampling, asking.face.id, wanted)
        .await
        .map_err(|error| not_sampled(asking, &error))?;
    let request = SampleRequest {
        server: asking.face.clone(),
        cause: asking.cause(),
        prompt,
        validate,
    };
    let permit = request.approve(&features.0.gate, |_| {}).await.map_err(refused)?;
    Ok((permit, addresses))
}

/// Shows the user what the model said, before the server gets it.
async fn approve_reply(
    features: &ClientFeatures,
    asking: &AcceptedRequest,
    reply: &SampleReply,
) -> Result<Permit<SendReply>, No> {
    let shown = reply.blocks.clone();
    let validate = move |arguments: &Map<String, Value>| {
        let edit: ReplyEdit = sampling::read_edit(arguments)?;
        sampling::check_reply(&edit.blocks, &shown)
    };
    let request = ReplyRequest {
        server: asking.face.clone(),
        cause: asking.cause(),
        reply: reply.clone(),
        validate: Validate::now(validate),
    };
    request.approve(&features.0.gate, |_| {}).await.map_err(refused)
}

async fn say(asking: AcceptedRequest, permit: Permit<SendReply>, reply: &SampleReply, lists: bool) {
    let (sent, effect) = permit.begin().split();
    let told = sampling::reply(reply, &sent.blocks, lists);
    asking.reply.reply(&told);
    effect.finish_with(EffectEnd::Sent, ResultFacts::of(&told)).await;
}

/// The error that the server gets where nothing could be asked or the model failed. The whole text is for our log and the
/// log that the user reads.
fn not_sampled(asking: &AcceptedRequest, error: &NotSampled) -> No {
    let name = &asking.face.name;
    // A server can have thousands of requests refused each second, and the log file has no other limit.
    tracing::debug!(server = %name, %error, "sampling request failed");
    asking.server.note_refusal(&format!("sampling refused: {error}"));
    let code = match error {
        NotSampled::Budget | NotSampled::Rounds | NotSampled::Moved => REJECTED,
        NotSampled::Failed(_) => INTERNAL,
    };
    No {
        code,
        words: error.message(),
    }
}

fn refused(no: Denied) -> No {
    match no {
        Denied::LedgerFailed(error) => {
            tracing::error!(%error, "failed to record a sampling decision in the ledger");
            No {
                code: INTERNAL,
                words: "the decision could not be kept, so nothing was done",
            }
        }
        Denied::ByUser { .. }
        | Denied::Dismissed
        | Denied::NotAsked
        | Denied::Muted
        | Denied::ByRule(_)
        | Denied::DefinitionChanged => No {
            code: REJECTED,
            words: REJECTED_WORDS,
        },
    }
}
