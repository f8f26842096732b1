import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { describe, it } from 'node:test'
import { findPatternProblem, matchesPattern, readRequestPath } from './request-path.ts'

const accepted = (path: string): string | null => {
  const read = readRequestPath(path)
  return 'problem' in read ? null : read.text
}
const matches = (pattern: string, path: string): boolean => {
  const read = readRequestPath(path)
  return !('problem' in read) && matchesPattern(pattern, read)
}

describe('the path of a raw request', () => {
  it('is returned in its normalized form', () => {
    for (const [path, normalized] of [
      ['/', '/'],
      ['/repos/acme/web', '/repos/acme/web'],
      ['/repos/acme/web/', '/repos/acme/web/'],
      ['/%75sers/%c3%bc', '/users/%C3%BC'],
      ['/a%20b', '/a%20b'],
      ['/.well-known/x.json', '/.well-known/x.json'],
      ["/users('ana@acme.com')/messages", "/users('ana@acme.com')/messages"],
      ['/calendars/a:b/events', '/calendars/a:b/events'],
    ] as const)
      assert.equal(accepted(path), normalized, path)
  })

  it('is rejected if another parser could read it differently', () => {
    for (const path of [
      '',
      'repos',
      '//evil.example/x',
      '/\\evil.example',
      '\\\\evil.example',
      'https://evil.example/',
      'https:/evil.example',
      '@evil.example',
      '/a//b',
      '//',
      '/a/../b',
      '/..',
      '/../..',
      '/a/./b',
      '/.',
      '/a/%2e%2e/b',
      '/a/%2E%2E/b',
      '/a/.%2e/b',
      '/a/%2e./b',
      '/a/..%2fb',
      '/a%2fb',
      '/a%2Fb',
      '/a%5cb',
      '/a\\b',
      '/a/..\\b',
      '/a/..;/b',
      '/a;x=1/b',
      '/a/..%3bx/b',
      '/a%252fb',
      '/a/%252e%252e/b',
      '/a?x=1',
      '/a%3fx',
      '/a#x',
      '/a%23x',
      '/a b',
      '/a\tb',
      '/a\nb',
      '/a\r\nHost: evil.example',
      '/a%0d%0aHost:x',
      '/a%00',
      '/a\0',
      '/a%7f',
      '/a%',
      '/a%2',
      '/a%zz',
      '/a%ff',
      '/%c0%ae%c0%ae/b',
      '/ä',
      '/a／b',
      '/a․․/b',
      '/{tenant.site}',
      '/a"b',
      '/a<b',
      `/${'a'.repeat(2000)}`,
      `/${'a/'.repeat(60)}`,
    ])
      assert.equal(accepted(path), null, JSON.stringify(path))
  })

  it('matches patterns by whole segments', () => {
    for (const [pattern, path, expected] of [
      ['/user', '/user', true],
      ['/user', '/user/', true],
      ['/user', '/users', false],
      ['/user', '/user/keys', false],
      ['/user', '/User', false],
      ['/repos/*/*', '/repos/acme/web', true],
      ['/repos/*/*', '/repos/acme', false],
      ['/repos/*/*', '/repos/acme/web/keys', false],
      ['/repos/**', '/repos/acme/web/keys', true],
      ['/repos/**', '/repos', false],
      ['/repos/**', '/repository/x', false],
      ['/**', '/anything/at/all', true],
      ['/**', '/', false],
      ['/', '/', true],
      ['/', '/a', false],
      ['/a%20b', '/a%20b', true],
      ['/%61', '/a', true],
    ] as const)
      assert.equal(matches(pattern, path), expected, `${pattern} ${path}`)
  })

  it('patterns: wildcards stand for whole segments, and ** is at the end', () => {
    for (const pattern of ['/repos/*', '/repos/**', '/**', '/*', '/a.b/*/c'])
      assert.equal(findPatternProblem(pattern), null, pattern)
    for (const pattern of [
      'repos',
      '/a/**/b',
      '/a*',
      '/a/b*c',
      '/***',
      '/a/../b',
      '//x',
      '/a?b',
      'https://x/**',
      '/a%2fb',
      '',
    ])
      assert.notEqual(findPatternProblem(pattern), null, pattern)
  })

  it('never leaves the host or the pattern, however the path is decoded', () => {
    const parts = [
      '/',
      '//',
      '\\',
      '.',
      '..',
      '%2e',
      '%2E',
      '%2f',
      '%5c',
      '%25',
      '%252e',
      '%00',
      ';',
      '?',
      '#',
      '@',
      ':',
      'a',
      'allowed',
      'admin',
      'evil.example',
      'https:',
      '\t',
      ' ',
      '%c0%af',
      '%u002f',
      '*',
      '**',
      '／',
    ]
    let seed = 42
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % below
    }
    let sent = 0
    for (let round = 0; round < 60_000; round++) {
      const path = `/allowed/${Array.from({ length: 1 + random(6) }, () => parts[random(parts.length)]).join('')}`
      const read = readRequestPath(path)
      if ('problem' in read || !matchesPattern('/allowed/**', read)) continue
      sent++
      const url = new URL(`https://api.example.com${read.text}`)
      assert.equal(url.host, 'api.example.com', path)
      assert.equal(url.pathname, read.text, path)
      assert.equal(url.search + url.hash + url.username, '', path)
      for (const decode of [
        (text: string) => text,
        decodeURIComponent,
        (text: string) => decodeURIComponent(decodeURIComponent(text)),
      ]) {
        const seen = posix.normalize(
          decode(url.pathname)
            .replaceAll('\\', '/')
            .replace(/;[^/]*/g, ''),
        )
        assert.ok(seen.startsWith('/allowed/'), `${path} is read as ${seen}`)
      }
    }
    assert.ok(sent > 1_000, `${sent} paths were accepted`)
  })
})
