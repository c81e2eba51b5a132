//! The GET event stream, on which a legacy server sends unrequested messages. It is an offer: a server without it is no
//! worse a server. While it lasts it is taken up again whenever it breaks off, and after too many attempts
//! that brought nothing, or when the server no longer offers it, it is let go with a line in the log.

use tokio::time::sleep;
use vestibule_egress::StatusCode;

use super::batch::FrameBatch;
use super::context::{HttpContext, HttpEvent};
use super::events::SseEvents;
use super::exchange::message;
use super::resume::{ResumeState, is_about_token, is_temporary};
use vestibule_egress::HttpAnswer;

/// What an attempt came to.
enum ListenOutcome {
    Stream(HttpAnswer),
    /// It may work later.
    Failed(String),
    /// It was refused, and the event it was to go on after may be why. With what it answered.
    NotResumed(String),
    /// The server does not have it, or not any more. With what it answered.
    NotOffered(String),
    Lost,
}

/// Listens until the server no longer wants to be listened to.
pub(super) async fn listen(context: HttpContext) {
    let mut resume = ResumeState::default();
    let mut was_offered = false;
    let mut is_known = false;
    loop {
        let stream = match attempt(&context, &resume, was_offered).await {
            // Servers forget events, for instance when they restart.
            ListenOutcome::NotResumed(_) if resume.forget() => continue,
            ListenOutcome::NotOffered(_) | ListenOutcome::NotResumed(_) if !was_offered => return,
            ListenOutcome::NotOffered(why) | ListenOutcome::NotResumed(why) => {
                return give_up(&context, &why).await;
            }
            // Some servers say 404 where they mean 405; if the session is lost, the next request will tell.
            ListenOutcome::Lost if !was_offered => return,
            ListenOutcome::Lost => return context.send_event(HttpEvent::SessionLost).await,
            ListenOutcome::Failed(why) => Err(why),
            ListenOutcome::Stream(answer) => Ok(answer),
        };
        // Otherwise the end of this task reports it.
        if !std::mem::replace(&mut is_known, true) {
            context.send_event(HttpEvent::Listening).await;
        }
        let why = match stream {
            Err(why) => {
                resume.failed();
                why
            }
            Ok(answer) => {
                resume.resumed();
                was_offered = true;
                match context.events(answer, Some(context.limits.quiet)) {
                    Ok(mut events) => match read_events(&context, &mut events, &mut resume).await {
                        Ok(why) => why,
                        Err(why) => return context.emit_oddity(why).await,
                    },
                    Err(error) => {
                        return context
                            .emit_oddity(format!("the server cannot be listened to: {error}"))
                            .await;
                    }
                }
            }
        };
        let Some(pause) = resume.pause(&context.limits) else {
            return give_up(&context, &why).await;
        };
        sleep(pause).await;
    }
}

async fn give_up(context: &HttpContext, why: &str) {
    let what = format!("the server is not listened to any more; what changes there is not noticed: {why}");
    context.emit_oddity(what).await;
}

async fn attempt(context: &HttpContext, resume: &ResumeState, was_offered: bool) -> ListenOutcome {
    let answer = match context.get(resume.last_event_id()).await {
        Ok(answer) => answer,
        Err(error) => return ListenOutcome::Failed(error.to_string()),
    };
    match answer.status() {
        status if status.is_success() => match answer.content_type().as_deref() {
            Some("text/event-stream") => ListenOutcome::Stream(answer),
            _ => ListenOutcome::NotOffered("it answered with something that is no event stream".into()),
        },
        StatusCode::NOT_FOUND if context.session.is_some() => ListenOutcome::Lost,
        status if status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED => {
            ListenOutcome::Failed(format!("it failed ({})", status.as_u16()))
        }
        StatusCode::TOO_MANY_REQUESTS => {
            ListenOutcome::Failed("the server answered 429 Too Many Requests".into())
        }
        status if was_offered && (is_temporary(status) || is_about_token(status)) => {
            ListenOutcome::Failed(format!("it refused ({})", status.as_u16()))
        }
        status if status.is_client_error() && status != StatusCode::METHOD_NOT_ALLOWED => {
            ListenOutcome::NotResumed(format!("it refused ({})", status.as_u16()))
        }
        status => ListenOutcome::NotOffered(format!("it refused ({})", status.as_u16())),
    }
}

/// Reads until the stream ends and says why, or with an error why it is not to be taken up.
async fn read_events(
    context: &HttpContext,
    events: &mut SseEvents,
    resume: &mut ResumeState,
) -> Result<String, String> {
    let mut batch = FrameBatch::new(context);
    let end = loop {
        match events.next_for(&mut batch).await {
            Ok(Some(event)) => {
                if resume.admit(&event)
                    && let Some(message) = message(event)
                {
                    batch.add(message).await;
                }
            }
            Ok(None) => break Ok("it ended the stream".into()),
            Err(error) if error.is_cut() => break Ok(error.to_string()),
            Err(error) => break Err(format!("the server is not listened to any more: {error}")),
        }
    };
    batch.flush().await;
    end
}
