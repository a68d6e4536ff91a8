use super::*;
use crate::body::Step;
use crate::instruction::Instruction;
use crate::ops;

/// A body from lines like `t = name t0 x0 0xff:64 ; 5`.
fn body(text: &str) -> Body {
    let mut names: HashMap<String, Value> = HashMap::new();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let operands: Vec<&str> = lines.next().expect("operands").split(' ').collect();
    for (n, name) in operands.iter().enumerate() {
        names.insert((*name).to_owned(), Value::Operand(n));
    }
    let mut steps = Vec::new();
    let mut results = Vec::new();
    for line in lines {
        let value = |word: &str| match word.split_once(':') {
            Some((n, bits)) => Value::Constant(n.parse().unwrap(), bits.parse().unwrap()),
            None => names[word],
        };
        let Some((left, right)) = line.split_once(" = ") else {
            results = line.split(' ').map(value).collect();
            break;
        };
        let (call, immediates) = right.split_once(" ; ").unwrap_or((right, ""));
        let (name, sources) = call.split_once(" <- ").expect("an instruction");
        let instruction = Box::leak(Box::new(instruction(name)));
        steps.push(Step {
            instruction,
            immediates: immediates.split_whitespace().map(|i| i.parse().unwrap()).collect(),
            sources: sources.split(' ').map(value).collect(),
        });
        for (n, name) in left.split(' ').enumerate() {
            names.insert(name.to_owned(), Value::Result(steps.len() - 1, n));
        }
    }
    let operands = operands.len();
    Body { operands, steps, results }
}

fn instruction(name: &str) -> Instruction {
    let source = include_str!("../../instructions.smt2");
    let bits = |sort: &str| match sort {
        "Word" => 64,
        "Half" => 32,
        "Bit" => 1,
        "Flags" => 2,
        other => panic!("{other}"),
    };
    let mut instruction = Instruction {
        meanings: vec![],
        sources: vec![],
        results: vec![],
        immediates: 0,
        rust: None,
        asm: None,
    };
    for suffix in ["", " 1"] {
        let name = format!("{name}{suffix}");
        let forms = [format!("|{name}|"), name];
        for form in forms {
            let Some((_, rest)) = source.split_once(&format!("\n(define-fun {form} (")) else {
                continue;
            };
            let (parameters, rest) = rest.split_once(")) ").expect("parameters");
            let sorts = parameters.split(')').map(|p| p.rsplit(' ').next().unwrap());
            let sorts: Vec<&str> = sorts.collect();
            instruction.immediates = sorts.iter().filter(|s| **s == "Imm").count();
            instruction.sources = sorts.iter().filter(|s| **s != "Imm").map(|s| bits(s)).collect();
            let result = rest.split([' ', '\n']).next().unwrap();
            instruction.results.push(bits(result));
            instruction.meanings.push(form);
        }
    }
    assert!(!instruction.meanings.is_empty(), "{name}");
    instruction
}

#[test]
fn experiment() {
    let Ok(file) = std::env::var("BODIES") else { return };
    let text = std::fs::read_to_string(file).unwrap();
    let only = std::env::var("ONLY").unwrap_or_default();
    let solvers = Solver::all(std::env::var_os("CACHE").map(Into::into));
    for part in text.split("== ").skip(1) {
        let (head, lines) = part.split_once('\n').unwrap();
        if !head.contains(&only) {
            continue;
        }
        let [target, field, op] = head.split(' ').collect::<Vec<_>>()[..] else { panic!() };
        let field = reference::fields().find(|f| f.name == field).unwrap();
        let row = ops::find(&field, op).unwrap_or_else(|| panic!("{op}"));
        let body = body(lines);
        for solver in &solvers {
            let start = std::time::Instant::now();
            let verdict = prove(&field, &row, &body, solver);
            let t = start.elapsed().as_secs_f64();
            println!("{t:7.2} {solver} {target} {} {op}: {verdict:?}", field.name);
        }
    }
}
