//! The proxy and certificate settings of this computer, which the form of a server offers.

use secrecy::ExposeSecret;
use vestibule_consent::NamedValue;

use super::Host;
use crate::view::PlaceDraft;

impl Host {
    /// What this computer sets about its proxy and its certificates, without passwords.
    #[must_use]
    pub fn network_variables(&self) -> Vec<NamedValue> {
        self.0.network_variables.shown()
    }

    /// A draft with the values that the user takes over from this computer. A variable that is not set here any more
    /// stays without a value.
    pub(super) fn with_network_values(&self, mut place: PlaceDraft) -> PlaceDraft {
        if let PlaceDraft::Here(program) = &mut place {
            for pair in program.env.iter_mut().filter(|pair| pair.from_computer) {
                let value = self.0.network_variables.get(&pair.name);
                pair.value = value.map_or_else(String::new, |value| value.expose_secret().to_owned());
            }
        }
        place
    }
}
