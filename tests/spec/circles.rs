//! No files of one crate import each other in a circle.
//!
//! A file and its own submodules count as one thing here: a `mod.rs` may import what its files
//! define, and they what it defines.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The crates whose files are read. Those in `benches` itself share only one module, `common`.
const SOURCES: [&str; 7] =
    ["src", "cli/src", "serve/src", "testing/src", "benches/rivals/src", "fuzz/src", "bindings/python/src"];

/// The path of a module in its crate, such as `["wire", "calls"]`.
type Module = Vec<String>;

/// Adds the modules in a folder, each with the text of its file.
fn read(folder: &Path, module: &[String], modules: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let child = [module, core::slice::from_ref(&name)].concat();
        if path.is_dir() {
            read(&path, &child, modules);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let is_own = ["mod", "lib", "main"].contains(&&*name);
            modules.insert(if is_own { module.to_vec() } else { child }, fs::read_to_string(&path).unwrap());
        }
    }
}

/// Returns the paths that a file's `use` items name, but for those of modules in it, such as its
/// tests.
fn imports(text: &str) -> Vec<Module> {
    let mut all = Vec::new();
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let start = end;
        end += line.len();
        let Some(index) =
            line.find("use ").filter(|index| line[..*index].is_empty() || line[..*index].starts_with("pub"))
        else {
            continue;
        };
        let tree = text[start + index + 4..].split(';').next().unwrap();
        let mut words = tree.split_whitespace();
        let mut tree = String::new();
        while let Some(word) = words.next() {
            match word {
                // The other name does not matter.
                "as" => tree.extend(words.next().unwrap().matches([',', '}'])),
                word => tree += word,
            }
        }
        expand(&[], &tree, &mut all);
    }
    all
}

/// Returns the paths from the root of the crate that the code of a file names where it uses them.
///
/// Comments, visibilities, macros for other crates, and the tests at the end are left out.
fn inline_paths(text: &str) -> Vec<Module> {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
    let lines = code.lines().map(|line| line.split("//").next().unwrap());
    let mut all = Vec::new();
    for line in lines {
        for (index, _) in line.match_indices("crate::") {
            let is_path = !line[..index].ends_with(|c: char| c == '$' || c == '_' || c.is_alphanumeric());
            if !is_path || line[..index].ends_with("(in ") {
                continue;
            }
            let end = line[index..].find(|c: char| c != ':' && c != '_' && !c.is_alphanumeric());
            let path = &line[index..end.map_or(line.len(), |len| index + len)];
            // That of a tree, or one that another line continues, is read as an import.
            if !path.ends_with("::") {
                all.push(path.split("::").map(str::to_owned).collect());
            }
        }
    }
    all
}

/// Adds the paths of a tree of imports, such as `a::{b, c::d}`.
fn expand(prefix: &[String], tree: &str, all: &mut Vec<Module>) {
    let Some((path, branches)) = tree.split_once('{') else {
        let names = tree.split("::").map(str::to_owned);
        return all.push(prefix.iter().cloned().chain(names).collect());
    };
    let names = path.split("::").filter(|name| !name.is_empty()).map(str::to_owned);
    let prefix: Module = prefix.iter().cloned().chain(names).collect();
    let (mut depth, mut start) = (0, 0);
    let branches = branches.strip_suffix('}').unwrap();
    for (index, byte) in branches.bytes().chain([b',']).enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                if index > start {
                    expand(&prefix, &branches[start..index], all);
                }
                start = index + 1;
            }
            _ => {}
        }
    }
}

/// Returns the module in whose file an imported path is defined, through what others re-export.
fn defined(from: &Module, path: &[String], modules: &BTreeMap<Module, String>, depth: usize) -> Option<Module> {
    let mut absolute = match &*path[0] {
        "crate" => Vec::new(),
        "super" => from[..from.len().checked_sub(1)?].to_vec(),
        "self" => from.clone(),
        child if modules.contains_key(&[&from[..], &[child.to_owned()]].concat()) => {
            [&from[..], &[child.to_owned()]].concat()
        }
        _ => return None,
    };
    let mut rest = path[1..].iter().peekable();
    while rest.next_if(|name| *name == "super").is_some() {
        absolute.pop()?;
    }
    while let Some(name) = rest.next_if(|name| modules.contains_key(&[&absolute[..], &[(*name).clone()]].concat())) {
        absolute.push(name.clone());
    }
    let name = rest.next()?;
    let exported = imports(&modules[&absolute]).into_iter().find(|path| path.last() == Some(name) && depth > 0);
    exported.and_then(|path| defined(&absolute, &path, modules, depth - 1)).or(Some(absolute))
}

/// Returns a circle that can be reached from a module.
fn circle(
    index: &Module,
    edges: &BTreeMap<Module, BTreeSet<Module>>,
    way: &mut Vec<Module>,
    done: &mut BTreeSet<Module>,
) -> Option<Vec<Module>> {
    if let Some(start) = way.iter().position(|module| module == index) {
        return Some(way[start..].to_vec());
    }
    if !done.insert(index.clone()) {
        return None;
    }
    way.push(index.clone());
    let found = edges[index].iter().find_map(|next| circle(next, edges, way, done));
    way.pop();
    found
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    for source in SOURCES {
        let mut modules = BTreeMap::new();
        read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(source), &[], &mut modules);
        let edges: BTreeMap<Module, BTreeSet<Module>> = modules
            .iter()
            .map(|(module, text)| {
                let paths = imports(text).into_iter().chain(inline_paths(text));
                let all = paths.filter_map(|path| defined(module, &path, &modules, 4));
                let is_other = |other: &Module| !other.starts_with(module) && !module.starts_with(other);
                (module.clone(), all.filter(is_other).collect())
            })
            .collect();
        assert!(edges.values().map(BTreeSet::len).sum::<usize>() > modules.len() / 2, "{source}: the imports are read");
        let mut done = BTreeSet::new();
        for module in modules.keys() {
            let found = circle(module, &edges, &mut Vec::new(), &mut done);
            assert!(found.is_none(), "{source}: {found:?}");
        }
    }
}
