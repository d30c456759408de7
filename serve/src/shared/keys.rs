//! The names of what the service keeps in the store.
//!
//! The keys of a conversation have its id in braces, so that a cluster keeps them on one node.

/// The names of what the service keeps in the store.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    prefix: String,
}

impl Keys {
    pub(crate) fn new(prefix: &str) -> Keys {
        Keys { prefix: prefix.to_owned() }
    }

    /// The stream of a conversation's events.
    pub(crate) fn log(&self, id: &str) -> String {
        format!("{}{{{id}}}:log", self.prefix)
    }

    /// The hash of everything about a conversation that is not an event.
    pub(crate) fn state(&self, id: &str) -> String {
        format!("{}{{{id}}}:state", self.prefix)
    }

    /// The channel that tells of changes of a conversation.
    pub(crate) fn bell(&self, id: &str) -> String {
        format!("{}{{{id}}}:bell", self.prefix)
    }

    /// Returns the conversation that a channel tells of.
    pub(crate) fn id_of_bell<'a>(&self, channel: &'a str) -> Option<&'a str> {
        channel.strip_prefix(&*self.prefix)?.strip_prefix('{')?.strip_suffix("}:bell")
    }

    /// The record under which a request's conversation is found.
    pub(crate) fn record(&self, key: &str) -> String {
        format!("{}record:{{{key}}}", self.prefix)
    }

    /// A part of the list of conversations.
    pub(crate) fn list(&self, part: &str) -> String {
        format!("{}{{list}}:{part}", self.prefix)
    }

    /// The channel that tells of changes of the list.
    pub(crate) fn list_bell(&self) -> String {
        self.list("changed")
    }

    /// The key that exists while a replica lives.
    pub(crate) fn replica(&self, replica: &str) -> String {
        format!("{}replica:{{{replica}}}", self.prefix)
    }

    /// A key that never exists, to ask the server of its slot whether it answers.
    pub(crate) fn probe(&self, number: u32) -> String {
        format!("{}probe:{{{number}}}", self.prefix)
    }

    /// The same key, and others of the replica that are far from it in a cluster.
    ///
    /// Each is in another third of the slots, so that no server has all of them unless it has most
    /// of the slots.
    pub(crate) fn spread_replica(&self, replica: &str) -> [String; 3] {
        let third = |name: &str| slot(name.as_bytes()) / SLOTS.div_ceil(3);
        let first = third(replica);
        let another = |offset: u16| {
            let wanted = (first + offset) % 3;
            // One in three fits.
            let name = (1..1000).map(|number| format!("{replica}-{number}")).find(|name| third(name) == wanted);
            self.replica(&name.unwrap_or_else(|| format!("{replica}-{offset}")))
        };
        [self.replica(replica), another(1), another(2)]
    }
}

/// Number of slots of a cluster.
pub(super) const SLOTS: u16 = 16384;

/// Returns the slot of a cluster in which a key is.
pub(super) fn slot_of(key: &[u8]) -> u16 {
    let tag = key.iter().position(|byte| *byte == b'{').map(|open| &key[open + 1..]);
    let tag = tag.and_then(|rest| rest.split(|byte| *byte == b'}').next().filter(|tag| tag.len() < rest.len()));
    slot(tag.filter(|tag| !tag.is_empty()).unwrap_or(key))
}

/// Returns the slot of a cluster in which a key with these braces is: `{name}`.
fn slot(name: &[u8]) -> u16 {
    // CRC-16/XMODEM, as the specification of the cluster has it.
    let crc = name.iter().fold(0_u16, |crc, byte| {
        (0..8).fold(crc ^ u16::from(*byte) << 8, |crc, _| if crc & 0x8000 == 0 { crc << 1 } else { crc << 1 ^ 0x1021 })
    });
    crc % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_a_replica_are_in_different_thirds_of_a_cluster() {
        // The example of the specification.
        assert_eq!(slot(b"123456789"), 0x31c3);
        for index in 0..100 {
            let name = format!("replica-{index}");
            let keys = Keys::new("p:").spread_replica(&name);
            assert_eq!(keys[0], format!("p:replica:{{{name}}}"), "replicas of earlier versions know this one");
            let mut thirds = keys.map(|key| slot_of(key.as_bytes()) / 5462);
            thirds.sort_unstable();
            assert_eq!(thirds, [0, 1, 2]);
        }
    }

    #[test]
    fn the_first_braces_with_something_in_them_decide_the_slot() {
        let slot_of_text = |key: &str| slot_of(key.as_bytes());
        for key in ["{123456789}", "p:{123456789}:log", "{123456789}{other}", "123456789"] {
            assert_eq!(slot_of_text(key), 0x31c3, "{key}");
        }
        // Braces that are empty or not closed are ignored.
        for key in ["{}{123456789}", "{123456789", "a}{"] {
            assert_eq!(slot_of_text(key), slot(key.as_bytes()), "{key}");
        }
    }

    #[test]
    fn a_bell_leads_back_to_its_conversation() {
        let keys = Keys::new("p:");
        assert_eq!(keys.bell("a-1"), "p:{a-1}:bell");
        assert_eq!(keys.id_of_bell("p:{a-1}:bell"), Some("a-1"));
        assert_eq!(keys.id_of_bell("q:{a-1}:bell"), None);
        assert_eq!(keys.id_of_bell("p:{a-1}:log"), None);
    }
}
