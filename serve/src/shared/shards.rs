//! The shards of the store: which of them has a key, and which of them answer.

use std::collections::BTreeMap;

use redis::{FromRedisValue, ParsingError, RedisResult, Value};

use super::keys::{SLOTS, slot_of};

/// The shard of a slot that no server has.
const NO_SHARD: u16 = u16::MAX;

/// The most keys that are tried to find one of each shard.
const MAX_TRIES: u32 = 1 << 16;

/// The shards of a cluster, and which of them answer. A single server is one shard.
pub(super) struct Shards {
    /// The shard of each slot; empty for a single server, which has all keys.
    of_slots: Vec<u16>,
    /// Whether each shard answers.
    answers: Vec<bool>,
    /// The hosts and ports of all servers of a cluster, as far as they are told.
    nodes: Vec<(String, u16)>,
}

impl Shards {
    /// Returns the only shard of a single server, which answers.
    pub(super) fn single() -> Shards {
        Shards { of_slots: Vec::new(), answers: vec![true], nodes: Vec::new() }
    }

    /// Reads the answer to `CLUSTER SLOTS`. Every shard answers until it is found not to.
    pub(super) fn read(slots: Value) -> RedisResult<Shards> {
        let ranges: Vec<Vec<Value>> = redis::from_redis_value(slots)?;
        let mut primaries: Vec<Value> = Vec::new();
        let (mut of_slots, mut nodes) = (vec![NO_SHARD; usize::from(SLOTS)], Vec::new());
        for mut range in ranges {
            if range.len() < 3 {
                return Err(ParsingError::from("a range of slots without a server").into());
            }
            nodes.extend(range[2..].iter().filter_map(node));
            // The host and the port of the primary; what follows differs between versions.
            let primary: Vec<Value> = redis::from_redis_value(range.swap_remove(2))?;
            let primary = Value::Array(primary.into_iter().take(2).collect());
            let (first, last) = (u16::from_redis_value_ref(&range[0])?, u16::from_redis_value_ref(&range[1])?);
            let shard = primaries.iter().position(|known| *known == primary).unwrap_or_else(|| {
                primaries.push(primary);
                primaries.len() - 1
            });
            let of_range = of_slots.get_mut(usize::from(first)..=usize::from(last));
            let of_range = of_range.ok_or_else(|| ParsingError::from("a slot that is none"))?;
            of_range.fill(u16::try_from(shard).unwrap_or(NO_SHARD));
        }
        nodes.sort();
        nodes.dedup();
        Ok(Shards { of_slots, answers: vec![true; primaries.len()], nodes })
    }

    /// Returns the hosts and ports of all servers of a cluster, as far as they are told.
    pub(super) fn nodes(&self) -> &[(String, u16)] {
        &self.nodes
    }

    /// Returns a key of each shard, among those with the lowest numbers.
    ///
    /// A shard with very few slots may be missing, and so are those that no key of the service
    /// leads to.
    pub(super) fn one_key_of_each(&self, key: impl Fn(u32) -> String) -> BTreeMap<usize, String> {
        let mut found = BTreeMap::new();
        for key in (0..MAX_TRIES).map(key) {
            if let Some(shard) = self.shard_of(key.as_bytes()) {
                found.entry(shard).or_insert(key);
            }
            if found.len() == self.answers.len() {
                break;
            }
        }
        found
    }

    /// Returns the shard that has a key; `None` if none has its slot.
    pub(super) fn shard_of(&self, key: &[u8]) -> Option<usize> {
        if self.of_slots.is_empty() {
            return Some(0);
        }
        let shard = usize::from(self.of_slots[usize::from(slot_of(key))]);
        (shard < self.answers.len()).then_some(shard)
    }

    /// Returns `true` if the shard of a key answers.
    pub(super) fn answer(&self, key: &[u8]) -> bool {
        self.shard_of(key).is_some_and(|shard| self.answers[shard])
    }

    /// A shard does not answer. Returns whether it did until now.
    pub(super) fn set_silent(&mut self, shard: usize) -> bool {
        std::mem::replace(&mut self.answers[shard], false)
    }

    /// Returns `true` if there are keys that no shard answers for.
    pub(super) fn are_incomplete(&self) -> bool {
        self.answers.contains(&false) || self.of_slots.contains(&NO_SHARD)
    }

    /// Returns `true` if no shard answers.
    pub(super) fn are_silent(&self) -> bool {
        !self.answers.contains(&true)
    }

    /// Returns `true` if these shards answer for every key of the others, and for further ones.
    pub(super) fn reach_more_than(&self, others: &Shards) -> bool {
        let mut reach_further = false;
        for slot in 0..usize::from(SLOTS) {
            match (self.answer_for(slot), others.answer_for(slot)) {
                (false, true) => return false,
                (true, false) => reach_further = true,
                _ => {}
            }
        }
        reach_further
    }

    /// Returns `true` if the shard of a slot answers.
    fn answer_for(&self, slot: usize) -> bool {
        let shard = self.of_slots.get(slot).map_or(0, |shard| usize::from(*shard));
        self.answers.get(shard).copied().unwrap_or_default()
    }
}

/// Returns the host and the port of a server; `None` if it does not tell them.
fn node(values: &Value) -> Option<(String, u16)> {
    let Value::Array(values) = values else { return None };
    let host = String::from_redis_value_ref(values.first()?).ok()?;
    let port = u16::from_redis_value_ref(values.get(1)?).ok()?;
    (!host.is_empty() && host != "?").then_some((host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(first: i64, last: i64, port: i64) -> Value {
        let node = |port| Value::Array(vec![Value::BulkString("localhost".into()), Value::Int(port)]);
        Value::Array(vec![Value::Int(first), Value::Int(last), node(port), node(port + 100)])
    }

    #[test]
    fn a_key_belongs_to_the_shard_that_has_its_slot() {
        // The slots of a shard may be apart. The slot of "123456789" is 0x31c3, or 12739.
        let slots = Value::Array(vec![range(0, 9, 1), range(20, 12738, 2), range(12739, 12739, 1)]);
        let mut shards = Shards::read(slots).unwrap();
        assert_eq!((shards.answers.len(), shards.shard_of(b"p:{123456789}:log")), (2, Some(0)));
        assert!(shards.are_incomplete(), "some slots belong to none");
        let nodes: Vec<_> = shards.nodes().iter().map(|(host, port)| (&**host, *port)).collect();
        assert_eq!(nodes, [1, 2, 101, 102].map(|port| ("localhost", port)));
        assert!(shards.answer(b"{123456789}"));
        assert!(shards.set_silent(0) && !shards.set_silent(0));
        assert!(!shards.answer(b"{123456789}") && !shards.are_silent());
        shards.set_silent(1);
        assert!(shards.are_silent());
    }

    #[test]
    fn a_key_of_each_shard_is_found() {
        let shards = Shards::read(Value::Array(vec![range(0, 8000, 1), range(8001, 16000, 2), range(16001, 16383, 3)]));
        let shards = shards.unwrap();
        let keys = shards.one_key_of_each(|number| format!("p:{{{number}}}"));
        assert_eq!(keys.keys().copied().collect::<Vec<_>>(), [0, 1, 2]);
        assert!(keys.iter().all(|(shard, key)| shards.shard_of(key.as_bytes()) == Some(*shard)));
        assert_eq!(shards.one_key_of_each(|number| format!("{{one}}{number}")).len(), 1);
    }

    #[test]
    fn shards_are_compared_by_the_keys_that_they_answer_for() {
        let three = || Shards::read(Value::Array(vec![range(0, 99, 1), range(100, 199, 2), range(200, 16383, 3)]));
        let two = || Shards::read(Value::Array(vec![range(0, 99, 1), range(100, 16383, 2)]));
        let (mut three, mut two) = (three().unwrap(), two().unwrap());
        // The same keys.
        assert!(!three.reach_more_than(&two) && !two.reach_more_than(&Shards::single()));
        three.set_silent(0);
        assert!(two.reach_more_than(&three) && !three.reach_more_than(&two));
        // As many shards, and other keys.
        two.set_silent(1);
        assert!(!two.reach_more_than(&three) && !three.reach_more_than(&two));
        three.set_silent(1);
        assert!(!three.reach_more_than(&two) && !two.reach_more_than(&three));
        three.set_silent(2);
        assert!(two.reach_more_than(&three));
    }

    #[test]
    fn a_malformed_reply_to_cluster_slots_is_an_error() {
        for slots in [
            Value::Int(1),
            Value::Array(vec![Value::Array(vec![Value::Int(0)])]),
            Value::Array(vec![range(0, 16384, 1)]),
        ] {
            assert!(Shards::read(slots).is_err());
        }
    }
}
