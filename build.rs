//! Compiles `proto/` without protoc: protox parses, prost and tonic generate.
//!
//! Writes to `OUT_DIR`: `payonce.v1.rs`, and `payonce.binpb`, the descriptor
//! set with comments and imports that reflection and JSON are made from.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use prost::Message;
use prost_types::FileDescriptorSet;
use tonic_prost_build::Config;

const ROOT: &str = "proto";
const PACKAGE_DIR: &str = "payonce/v1";

#[expect(
    clippy::disallowed_methods,
    reason = "cargo speaks to build scripts through the environment"
)]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={ROOT}/{PACKAGE_DIR}");
    let descriptors = compile(&sources()?)?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("payonce.binpb"), &descriptors)?;

    let mut config = Config::new();
    config.enable_type_names();
    tonic_prost_build::configure()
        .compile_fds_with_config(FileDescriptorSet::decode(descriptors.as_slice())?, config)?;
    Ok(())
}

/// The files of the package, relative to [`ROOT`], in an order that does not
/// depend on the file system.
fn sources() -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(Path::new(ROOT).join(PACKAGE_DIR))? {
        let name = PathBuf::from(entry?.file_name());
        if name
            .extension()
            .is_some_and(|extension| extension == "proto")
        {
            files.push(Path::new(PACKAGE_DIR).join(name));
        }
    }
    files.sort();
    Ok(files)
}

/// The encoded descriptor set. It is decoded from these bytes for prost:
/// protox's own structures lose option extensions.
fn compile(sources: &[PathBuf]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut compiler = protox::Compiler::new([ROOT])?;
    compiler.include_imports(true).include_source_info(true);
    for source in sources {
        compiler.open_file(Path::new(ROOT).join(source))?;
    }
    Ok(compiler.encode_file_descriptor_set())
}
