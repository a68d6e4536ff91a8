use codegen::isa::Target;
use codegen::machine::Source;
use codegen::template::TemplateSet;
fn main() {
    let templates = TemplateSet::load(std::path::Path::new("templates")).unwrap();
    for (target, field, op) in codegen::lemma::all(&templates) {
        let r = templates.render_body(target, field, op).unwrap();
        println!("== {} {} {op}", target.folder(), field.name);
        let reg = |r: codegen::machine::Reg| format!("t{}", r.0);
        let b = &r.body;
        println!("{}", b.operands.iter().map(|r| reg(*r)).collect::<Vec<_>>().join(" "));
        let prefix = match target { Target::Aarch64 => "a64 ", Target::X86_64 => "x64 ", _ => "" };
        for i in &b.instructions {
            let own = ["add","add32","sub","sbb","sbb32","shl","shr"].contains(&i.row.name);
            let name = if prefix == "x64 " && !own { "".to_owned() } else { prefix.to_owned() } + if i.row.name == "u64 |" { "u64 or" } else { i.row.name };
            let src = i.sources.iter().zip(i.row.sources).map(|(s, k)| match *s { Source::Reg(r) => reg(r), Source::Constant(n) => format!("{}:{}", n.word, k.bits()) }).collect::<Vec<_>>().join(" ");
            let imm = i.immediates.iter().map(|i| i.to_string()).collect::<Vec<_>>().join(" ");
            println!("{} = {name} <- {src} ; {imm}", i.results.iter().map(|r| reg(*r)).collect::<Vec<_>>().join(" "));
        }
        println!("{}", b.results.iter().map(|r| reg(*r)).collect::<Vec<_>>().join(" "));
    }
}
