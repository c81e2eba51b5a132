//! The tour: the server that Vestibule brings along, added at the very first start.

use vestibule_protocol::ServerId;
use vestibule_store::ServerPlace;

use super::{Host, TourServer};
use crate::view::{Problem, ProgramDraft, ServerDraft};

/// The setting that says which server is the tour; it stays when the user removes it, so that it is not added again.
const TOUR: &str = "tour";

impl Host {
    /// Adds the tour at the very first start.
    pub(super) async fn offer_tour(&self, tour: Option<&TourServer>) -> Result<(), Problem> {
        if let Some(tour) = tour
            && self.0.store.setting(TOUR).await?.is_none()
        {
            self.add_tour(tour).await?;
        }
        Ok(())
    }

    /// Lets the tour start while it is this very program: the user started that already by opening Vestibule. What its
    /// tools do is asked like any other server's.
    pub(super) async fn vouch_for_tour(&self, tour: &TourServer) -> Result<(), Problem> {
        let kept = self
            .0
            .store
            .setting(TOUR)
            .await?
            .and_then(|id| serde_json::from_value(id).ok());
        let server = kept.and_then(|id| self.0.servers.get(id).ok());
        let is_tour = |place: &ServerPlace| matches!(place, ServerPlace::Here(program) if program.command == tour.command && program.args == tour.args);
        if let Some(server) = server.filter(|server| is_tour(&server.record().place))
            && let Some((_, launch)) = server.opening().await
        {
            self.0
                .gate
                .rules()
                .vouch_for_own_program(server.id(), launch)
                .await?;
            server.set_own_program();
        }
        Ok(())
    }

    async fn add_tour(&self, tour: &TourServer) -> Result<ServerId, Problem> {
        let program = ProgramDraft {
            command: tour.command.clone(),
            args: tour.args.clone(),
            ..ProgramDraft::default()
        };
        let draft = ServerDraft::here("tour", program);
        let server = self.server_add(draft).await?;
        self.want(server, true).await?;
        let id = serde_json::to_value(server).expect("an id is plain data");
        self.0.store.put_setting(TOUR, id).await?;
        Ok(server)
    }
}
