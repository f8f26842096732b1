#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(
    `carabiner needs Node 24.12 or newer; this is ${process.version}. Install it from https://nodejs.org or your package manager.\n`,
  )
  process.exit(1)
}
await import('carabiner/main')
