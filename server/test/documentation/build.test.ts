import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { root } from './fenced-blocks.ts'

/** A site of one page, with the configuration of the documentation. Inside of the repository, so that packages are found. */
const build = async (page: string): Promise<string> => {
  const folder = join(root, `.cache/documentation-${process.pid}/docs`)
  try {
    cpSync(join(root, 'docs/.vitepress'), join(folder, '.vitepress'), {
      recursive: true,
      filter: path => !/\.vitepress\/(?:dist|cache|\.temp)/.test(path),
    })
    cpSync(join(root, 'tsconfig.json'), join(folder, '../tsconfig.json'))
    mkdirSync(join(folder, 'guides'))
    writeFileSync(join(folder, 'guides/index.md'), '# Guides\n\nA page that exists.\n')
    writeFileSync(join(folder, 'index.md'), page)
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [join(root, 'node_modules/vitepress/bin/vitepress.js'), 'build', folder],
      { cwd: folder },
    )
    return stdout + stderr
  } finally {
    rmSync(join(folder, '..'), { recursive: true, force: true })
  }
}

test('documentation build: a dead link fails it', async () => {
  await assert.rejects(
    build('# A\n\n[There](guides/index.md) and [nowhere](guides/nowhere.md).\n'),
    /dead link/i,
  )
})

test('documentation build: a warning fails it', async () => {
  await assert.rejects(build('# A\n\n```no-such-language\na\n```\n'), /no-such-language/)
})

test('documentation build: files that pages include are inputs of the build, here and in the image', () => {
  const read = (name: string): string => readFileSync(join(root, name), 'utf8')
  const included = globSync('docs/*/*.md', { cwd: root }).flatMap(
    file => /^---\n[^]*?^source: (.+)$[^]*?^---$/m.exec(read(file))?.[1] ?? [],
  )
  assert.ok(included.length >= 4)
  for (const file of included) {
    assert.ok(read('scripts/run.mjs').includes(`'${file}'`), file)
    assert.match(read('deploy/docker/Dockerfile'), new RegExp(`^COPY .*${file}`, 'm'))
  }
})
