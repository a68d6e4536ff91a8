//! What the compiler is told when it builds the measuring process.

use std::str::FromStr;

use clap::ValueEnum;

/// Link-time optimisation of the measuring process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Lto {
    /// None, not even within a crate.
    #[value(help = None)]
    Off,
    /// As this workspace's release profile has it.
    #[value(help = None)]
    Thin,
    /// Of the whole program.
    #[value(help = None)]
    Fat,
}

impl Lto {
    /// Its name, as cargo knows it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Thin => "thin",
            Self::Fat => "fat",
        }
    }
}

/// What the compiler is told of the CPU for kernels of an instruction set, where that is to be
/// something else than usual: `avx512=native`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetCpu {
    /// The instruction set.
    pub isa: String,
    /// As in `rustc -C target-cpu`.
    pub cpu: String,
}

impl FromStr for TargetCpu {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (isa, cpu) = text
            .split_once('=')
            .filter(|(isa, cpu)| !isa.is_empty() && !cpu.is_empty())
            .ok_or("must be ISA=CPU, such as avx512=native")?;
        Ok(Self {
            isa: isa.to_owned(),
            cpu: cpu.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_is_given_for_an_instruction_set() {
        let other = TargetCpu {
            isa: "avx512".to_owned(),
            cpu: "native".to_owned(),
        };
        assert_eq!("avx512=native".parse(), Ok(other));
        assert!("native".parse::<TargetCpu>().is_err());
        assert!("=native".parse::<TargetCpu>().is_err());
    }
}
