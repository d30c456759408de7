//! What a fuzzer chooses: a policy, a stream, what it is read as, and where to cut it.
#![allow(dead_code)]

use arbitrary::Arbitrary;

use crate::common::Syntax;
use crate::common::reference::Rules;

#[derive(Arbitrary, Debug)]
pub struct Input {
    /// The stream is the arguments of a native call, not a message.
    pub arguments: bool,
    pub strict: bool,
    pub outside_code: bool,
    pub decode_entities: bool,
    /// Small limits, so that they are passed; none for the default.
    pub limits: Option<(u8, u8, u8, u8, u8)>,
    pub cuts: Vec<u16>,
    pub stream: Vec<u8>,
}

impl Input {
    pub fn syntax(&self) -> Syntax {
        if self.arguments { Syntax::Arguments } else { Syntax::Markup }
    }

    pub fn rules(&self) -> Rules {
        let Input { strict, outside_code, decode_entities, .. } = *self;
        let rules = Rules { strict, outside_code, decode_entities, ..Rules::default() };
        match self.limits {
            None => rules,
            Some((question, answer, suggestions, tag, bare)) => Rules {
                question: question.into(),
                answer: answer.into(),
                suggestions: suggestions.into(),
                tag: tag.into(),
                bare: bare.into(),
                ..rules
            },
        }
    }

    /// The stream, cut.
    pub fn chunks(&self) -> Vec<&[u8]> {
        let mut at: Vec<usize> = self.cuts.iter().map(|&cut| usize::from(cut) % (self.stream.len() + 1)).collect();
        at.extend([0, self.stream.len()]);
        at.sort_unstable();
        at.windows(2).map(|pair| &self.stream[pair[0]..pair[1]]).collect()
    }
}
