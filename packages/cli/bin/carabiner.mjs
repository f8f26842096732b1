#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(
    `carabiner needs Node 24.12 or newer; this is ${process.version}. Install it from https://nodejs.org or your package manager.\n`,
  )
  process.exit(1)
}

// The package `carabiner` has the same command and more. Where both are installed, npm links either, so both must run the same.
const findProgram = () => {
  try {
    return import.meta.resolve('carabiner/main')
  } catch {
    return '@carabiner/cli/main'
  }
}

await import(findProgram())
