#!/usr/bin/env node
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `carabiner needs Node 24 or newer; this is ${process.version}. Run it with npx inside the project.\n`,
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
