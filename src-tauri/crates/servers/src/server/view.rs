//! A server as windows and cards show it.

use std::path::PathBuf;

use vestibule_consent::ServerSummary;
use vestibule_store::{Program, ServerPlace};

use super::handle::ServerHandle;
use super::state::place_view;
use crate::bundle_folder::BundleFolder;
use crate::config::connection::origin_of;
use crate::config::launch::command_line;
use crate::config::working_folder::working_folder;
use crate::doctor;
use crate::packages::{PackageFolder, recognise};
use vestibule_app_protocol::{PackageView, PlaceView, ServerView};

impl ServerHandle {
    /// The server as windows see it.
    pub fn view(&self) -> ServerView {
        let sign_in = self.auth().map(|auth| auth.view());
        self.read(|snapshot| {
            let (tool_count, held_count) = snapshot.tool_counts();
            ServerView {
                id: self.id(),
                name: snapshot.record.name.clone(),
                place: self.place_view(&snapshot.record.place),
                era: snapshot.record.era,
                missing: snapshot.missing.clone(),
                sign_in,
                state: snapshot.state_view(),
                diagnosis: doctor::diagnose_snapshot(snapshot, &self.server_log()),
                tool_count,
                held_count,
                listing_problem: snapshot.listing_problem().cloned(),
                instructions_held: snapshot.instructions.is_held(),
                package: snapshot.package.clone(),
            }
        })
    }

    fn place_view(&self, place: &ServerPlace) -> PlaceView {
        let mut view = place_view(place, self.proxy(place));
        if let (PlaceView::Here { folder, .. }, ServerPlace::Here(program)) = (&mut view, place) {
            let chosen = program.cwd.as_ref();
            *folder = chosen.map(|_| self.working_folder_of(program).display().to_string());
        }
        view
    }

    /// The server as cards show it.
    pub fn face(&self) -> ServerSummary {
        let record = self.record();
        let provenance = match &record.place {
            ServerPlace::Here(program) => command_line(&program.command, &program.args),
            ServerPlace::Address(endpoint) => origin_of(&endpoint.url),
        };
        ServerSummary {
            id: record.id,
            name: record.name,
            provenance,
        }
    }

    /// The folder a local server runs in.
    pub fn working_folder(&self) -> Option<PathBuf> {
        match self.record().place {
            ServerPlace::Here(program) => Some(self.working_folder_of(&program)),
            ServerPlace::Address(_) => None,
        }
    }

    /// Looks again which downloaded package it starts from.
    pub(crate) fn look_for_package(&self) {
        let package = self.downloaded_package();
        self.change(|snapshot| snapshot.package = package);
    }

    fn downloaded_package(&self) -> Option<PackageView> {
        let ServerPlace::Here(program) = self.record().place else {
            return None;
        };
        let folder = self.working_folder_of(&program);
        let request = recognise(&program.command, &program.args, &folder)?.request;
        let pin = self.packages().pin(&request).filter(|pin| !pin.left_to_runner)?;
        Some(PackageView {
            name: request.name,
            version: pin.version,
            update: None,
        })
    }

    /// The downloaded packages that it starts from.
    pub fn packages(&self) -> PackageFolder {
        PackageFolder::new(&self.context().options.data_folder, self.id())
    }

    /// The bundle that it starts from, where it came with one.
    pub fn bundle(&self) -> BundleFolder {
        BundleFolder::new(&self.context().options.data_folder, self.id())
    }

    /// The folder a program of this server runs in.
    pub(crate) fn working_folder_of(&self, program: &Program) -> PathBuf {
        working_folder(&self.context().options.data_folder, self.id(), program)
    }
}
