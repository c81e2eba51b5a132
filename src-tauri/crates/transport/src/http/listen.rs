//! The stream on which a legacy server says what nobody asked for. It is an offer: a server without it is no
//! worse a server. While it lasts it is taken up again whenever it breaks off, and after too many attempts
//! that brought nothing it is let go with a line in the log.

use reqwest::StatusCode;
use tokio::time::sleep;

use super::cursor::Cursor;
use super::events::Events;
use super::exchange::message;
use super::way::{Event, Way};
use crate::egress::Answer;

/// What an attempt came to.
enum Listening {
    Stream(Answer),
    /// It may work later.
    Failed(String),
    /// The server does not have it.
    NotOffered,
    Lost,
}

/// Listens until the server no longer wants to be listened to.
pub(super) async fn listen(way: Way) {
    let mut cursor = Cursor::default();
    let mut was_offered = false;
    let mut is_known = false;
    loop {
        let stream = match attempt(&way, &cursor).await {
            Listening::NotOffered => return,
            // Some servers say 404 where they mean 405; if the session is lost, the next request will tell.
            Listening::Lost if !was_offered => return,
            Listening::Lost => return way.tell(Event::Lost).await,
            Listening::Failed(why) => Err(why),
            Listening::Stream(answer) => Ok(answer),
        };
        // Whoever waits to know learns it from the end of this task otherwise.
        if !std::mem::replace(&mut is_known, true) {
            way.tell(Event::Listening).await;
        }
        let why = match stream {
            Err(why) => {
                cursor.failed();
                why
            }
            Ok(answer) => {
                cursor.taken_up();
                was_offered = true;
                match way.events(answer, Some(way.limits.quiet)) {
                    Ok(mut events) => match read(&way, &mut events, &mut cursor).await {
                        Ok(why) => why,
                        Err(why) => return way.oddity(why).await,
                    },
                    Err(error) => {
                        return way
                            .oddity(format!("the server can not be listened to: {error}"))
                            .await;
                    }
                }
            }
        };
        let Some(pause) = cursor.pause(&way.limits) else {
            let what =
                format!("the server is not listened to any more; what changes there is not noticed: {why}");
            return way.oddity(what).await;
        };
        sleep(pause).await;
    }
}

async fn attempt(way: &Way, cursor: &Cursor) -> Listening {
    let answer = match way.get(cursor.last()).await {
        Ok(answer) => answer,
        Err(error) => return Listening::Failed(error.to_string()),
    };
    match answer.status() {
        status if status.is_success() => match answer.content_type().as_deref() {
            Some("text/event-stream") => Listening::Stream(answer),
            _ => Listening::NotOffered,
        },
        StatusCode::NOT_FOUND if way.session.is_some() => Listening::Lost,
        status if status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED => {
            Listening::Failed(format!("it failed ({})", status.as_u16()))
        }
        StatusCode::TOO_MANY_REQUESTS => Listening::Failed("it asks to be left alone (429)".into()),
        _ => Listening::NotOffered,
    }
}

/// Reads until the stream ends and says why, or with an error why it is not to be taken up.
async fn read(way: &Way, events: &mut Events, cursor: &mut Cursor) -> Result<String, String> {
    loop {
        match events.next().await {
            Ok(Some(event)) => {
                if cursor.admit(&event)
                    && let Some(message) = message(event)
                {
                    way.frame(message).await;
                }
            }
            Ok(None) => return Ok("it ended the stream".into()),
            Err(error) if error.is_cut() => return Ok(error.to_string()),
            Err(error) => return Err(format!("the server is not listened to any more: {error}")),
        }
    }
}
