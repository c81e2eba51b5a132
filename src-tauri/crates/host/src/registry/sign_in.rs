//! Where a server's demand to sign in arrives, and where the answer to it goes out. Signing in itself happens
//! elsewhere: whoever does it sets the value that every exchange with the server then carries, and starts the server
//! again.

use secrecy::SecretString;
use tokio::sync::watch;
use vestibule_protocol::ServerId;
use vestibule_session::Challenge;
use vestibule_store::Place;

use super::Registry;
use super::run::End;
use crate::connection::origin_of;
use crate::view::Problem;

impl Registry {
    /// Ends a run because the server demands a sign-in. Every challenge comes here, from opening and from calls.
    pub(super) fn challenged(&self, server: ServerId, challenge: &Challenge) -> End {
        End::SignInNeeded(Problem::SignInNeeded {
            origin: self.origin(server),
            status: challenge.status,
        })
    }

    /// The value of `Authorization` for a server, looked at anew for every exchange; `None` inside until somebody
    /// signed in.
    pub(super) fn authorization(&self, server: ServerId) -> Option<watch::Receiver<Option<SecretString>>> {
        let seats = self.seats();
        seats.get(&server).map(|seat| seat.authorization.subscribe())
    }

    /// Where a server is connected; empty for one on this computer.
    pub(super) fn origin(&self, server: ServerId) -> String {
        match self.record(server).map(|record| record.place) {
            Some(Place::Address(endpoint)) => origin_of(&endpoint.url),
            _ => String::new(),
        }
    }
}
