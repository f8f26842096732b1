#!/usr/bin/env node
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `carabiner needs Node 24 or newer; this is ${process.version}. Run it with npx inside the project.\n`,
  )
  process.exit(1)
}
await import('carabiner/main')
