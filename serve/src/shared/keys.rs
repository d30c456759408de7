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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bell_leads_back_to_its_conversation() {
        let keys = Keys::new("p:");
        assert_eq!(keys.bell("a-1"), "p:{a-1}:bell");
        assert_eq!(keys.id_of_bell("p:{a-1}:bell"), Some("a-1"));
        assert_eq!(keys.id_of_bell("q:{a-1}:bell"), None);
        assert_eq!(keys.id_of_bell("p:{a-1}:log"), None);
    }
}
