//! A program for a microcontroller: what of it is in flash, and what in RAM.

use std::fmt;
use std::path::Path;

use object::elf::{SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE};
use object::{Object, ObjectSection, SectionFlags, SectionKind};

use crate::runner::Stop;

/// Where flash begins.
const FLASH: u64 = 0x1000_0000;

/// What the boot ROM of an RP2350 looks for: an image for its Arm cores, in secure state.
const DEFINITION: [u32; 5] = [
    0xffff_ded3,
    0x1021_0142,
    0x0000_01ff,
    0x0000_0000,
    0xab12_3579,
];

/// In so many first bytes of flash.
const LOOKED_AT: u64 = 4096;

/// The section that has it.
const SECTION: &str = ".image_definition";

/// Bytes of variables that a program may have: tables are to be in flash.
const VARIABLES: u64 = 64;

/// Bytes of a program, by what they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Image {
    code: u64,
    constants: u64,
    /// In flash too, if they do not start as zeros.
    variables: u64,
    initialised: u64,
    /// The place and the words of the definition.
    definition: Option<(u64, Vec<u8>)>,
}

impl Image {
    /// Reads an ELF file.
    pub(super) fn read(path: &Path) -> Result<Self, Stop> {
        let bytes = std::fs::read(path)?;
        let wrong = |error| Stop::Failed(format!("{}: {error}", path.display()));
        let file = object::File::parse(&*bytes).map_err(wrong)?;
        let mut image = Self::default();
        for section in file.sections() {
            let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
                continue;
            };
            let (is, size) = (|flag| sh_flags & flag == flag, section.size());
            if !is(SHF_ALLOC) {
                continue;
            }
            if is(SHF_WRITE) {
                image.variables += size;
                if section.kind() != SectionKind::UninitializedData {
                    image.initialised += size;
                }
            } else if is(SHF_EXECINSTR) {
                image.code += size;
            } else {
                image.constants += size;
            }
            if section.name() == Ok(SECTION) {
                let words = section.data().map_err(wrong)?.to_vec();
                image.definition = Some((section.address(), words));
            }
        }
        Ok(image)
    }

    /// What is wrong with it on every board.
    pub(super) fn fault(&self) -> Option<String> {
        let variables = self.variables;
        let over = variables > VARIABLES;
        over.then(|| format!("{variables} bytes of variables, more than {VARIABLES}"))
    }

    /// What is wrong with it on an RP2350.
    pub(super) fn unbootable(&self) -> Option<String> {
        let expected: Vec<u8> = DEFINITION
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        match &self.definition {
            None => Some("the boot ROM finds no image definition".to_owned()),
            Some((place, _)) if place + expected.len() as u64 > FLASH + LOOKED_AT => Some(format!(
                "the image definition at {place:#x} is not in the first {LOOKED_AT} bytes"
            )),
            Some((_, words)) if *words != expected => {
                Some(format!("{words:02x?} is another image definition"))
            }
            Some(_) => None,
        }
    }
}

impl fmt::Display for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            code,
            constants,
            variables,
            initialised,
            ..
        } = self;
        let flash = code + constants + initialised;
        write!(
            f,
            "{flash} bytes of flash ({code} of code, {constants} of constants), {variables} of variables"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_that_no_board_starts_or_that_fills_ram_is_told() {
        let words: Vec<u8> = DEFINITION
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let at = |place, words: &[u8]| Image {
            definition: Some((place, words.to_vec())),
            ..Image::default()
        };
        let told = |image: &Image| image.unbootable().unwrap_or_default();
        assert_eq!(told(&at(0x1000_0fec, &words)), "");
        assert!(told(&at(0x1000_0ff0, &words)).contains("0x10000ff0 is not in the first 4096"));
        assert!(told(&at(FLASH, &words[1..])).contains("another image definition"));
        assert!(told(&Image::default()).contains("no image definition"));
        let with = |variables| Image {
            variables,
            ..Image::default()
        };
        assert_eq!(with(64).fault(), None);
        assert!(with(65).fault().is_some());
    }
}
