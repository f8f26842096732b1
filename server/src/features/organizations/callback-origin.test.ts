import assert from 'node:assert/strict'
import { test } from 'node:test'
import { originOf, parseOriginEntry, parseUrl } from './callback-origin.ts'

const ACCEPTED: [entry: string, normalised: string, why: string][] = [
  ['https://app.example.com', 'https://app.example.com', 'as it is'],
  ['https://app.example.com/', 'https://app.example.com', 'root path'],
  ['HTTPS://APP.Example.COM', 'https://app.example.com', 'case'],
  ['https://app.example.com:443', 'https://app.example.com', 'default port'],
  ['https://app.example.com:443/', 'https://app.example.com', 'default port and root path'],
  ['https://app.example.com:0443', 'https://app.example.com', 'default port with a zero'],
  ['https://app.example.com:8443', 'https://app.example.com:8443', 'another port'],
  ['https://app.example.com:80', 'https://app.example.com:80', 'default port of the other scheme'],
  ['https://localhost', 'https://localhost', 'loopback under TLS'],
  ['https://localhost:3000', 'https://localhost:3000', 'loopback under TLS with a port'],
  ['https://192.0.2.7', 'https://192.0.2.7', 'IPv4 under TLS'],
  ['https://[2001:db8::7]:8443', 'https://[2001:db8::7]:8443', 'IPv6 under TLS'],
  ['https://[2001:DB8:0::7]', 'https://[2001:db8::7]', 'IPv6 in its short form'],
  ['https://xn--bcher-kva.example', 'https://xn--bcher-kva.example', 'internationalised host in ASCII'],
  ['https://b\u00fccher.example', 'https://xn--bcher-kva.example', 'internationalised host'],
  ['http://localhost:3000', 'http://localhost:3000', 'loopback'],
  ['http://localhost:3000/', 'http://localhost:3000', 'loopback and root path'],
  ['http://LOCALHOST:3000', 'http://localhost:3000', 'loopback, upper case'],
  ['http://localhost', 'http://localhost', 'loopback on port 80'],
  ['http://localhost:80', 'http://localhost', 'loopback on port 80 written out'],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000', 'IPv4 loopback'],
  ['http://[::1]:3000', 'http://[::1]:3000', 'IPv6 loopback'],
  ['http://[0:0:0:0:0:0:0:1]:3000', 'http://[::1]:3000', 'IPv6 loopback written out'],
  ['myapp://', 'myapp://', 'app scheme'],
  ['myapp:', 'myapp://', 'app scheme without slashes'],
  ['myapp:///', 'myapp://', 'app scheme with three slashes'],
  ['MyApp://', 'myapp://', 'app scheme, mixed case'],
  ['com.example.app://', 'com.example.app://', 'reverse domain name'],
  ['COM.EXAMPLE.APP:', 'com.example.app://', 'reverse domain name, upper case'],
  ['my-app+dev.2://', 'my-app+dev.2://', 'every character that a scheme may have'],
  ['x:', 'x://', 'one letter'],
  ['httpsx://', 'httpsx://', 'starts like a web scheme'],
  ['javascripts://', 'javascripts://', 'starts like a browser scheme'],
]

const REJECTED: [entry: string, why: string][] = [
  ['', 'empty'],
  ['*', 'wildcard'],
  ['null', 'the serialized opaque origin'],
  ['app.example.com', 'no scheme'],
  ['app.example.com:443', 'host and port without a scheme'],
  ['localhost:3000', 'loopback without a scheme'],
  ['//app.example.com', 'network path'],
  ['https:', 'web scheme only'],
  ['https://', 'web scheme and slashes'],
  ['https:///', 'web scheme and three slashes'],
  ['http:', 'plain web scheme only'],
  ['http://', 'plain web scheme and slashes'],
  ['https:app.example.com', 'no slashes'],
  ['https:/app.example.com', 'one slash'],
  ['https:///app.example.com', 'three slashes'],
  ['https://app.example.com/cb', 'path'],
  ['https://app.example.com//', 'path of two slashes'],
  ['https://app.example.com/.', 'path of a dot'],
  ['https://app.example.com/..', 'path of two dots'],
  ['https://app.example.com/%2e', 'path of an encoded dot'],
  ['https://app.example.com?', 'empty query'],
  ['https://app.example.com/?x=1', 'query'],
  ['https://app.example.com#', 'empty fragment'],
  ['https://app.example.com/#f', 'fragment'],
  ['https://user@app.example.com', 'user name'],
  ['https://user:pw@app.example.com', 'user name and password'],
  ['https://@app.example.com', 'empty userinfo'],
  ['https://*.example.com', 'wildcard label'],
  ['https://app.*.com', 'wildcard in the middle'],
  ['https://*', 'wildcard host'],
  ['https://%2a.example.com', 'encoded wildcard'],
  ['https://\uff0a.example.com', 'full-width wildcard'],
  ['https://app.example.com:*', 'wildcard port'],
  ['https://app.example.com:65536', 'port too high'],
  ['https://app.example.com:x', 'port by name'],
  ['https://app.example.com.', 'trailing dot'],
  ['https://app.example.com%2e', 'encoded trailing dot'],
  ['https://.', 'dot as a host'],
  ['https://app.example.com,https://b.example', 'two entries'],
  ['https://app.example.com https://b.example', 'two entries with a space'],
  [' https://app.example.com', 'leading space'],
  ['https://app.example.com\n', 'trailing line feed'],
  ['https://app\t.example.com', 'tab in the host'],
  ['https://app.example.com\\', 'backslash'],
  ['https:\\\\app.example.com', 'backslashes for slashes'],
  ['https://app.example.com\u0000', 'NUL'],
  ['https://app.example.com\u00a0', 'no-break space'],
  ['https://app.example.com\u2028', 'line separator'],
  ['http://app.example.com', 'plain http beyond loopback'],
  ['http://localhost.evil.com:3000', 'loopback name as a prefix'],
  ['http://evil.localhost:3000', 'below localhost'],
  ['http://localhost.:3000', 'loopback with a trailing dot'],
  ['http://127.0.0.2:3000', 'another loopback address'],
  ['http://0.0.0.0:3000', 'unspecified address'],
  ['http://[::]:3000', 'unspecified IPv6 address'],
  ['http://[::ffff:127.0.0.1]:3000', 'IPv4 loopback mapped into IPv6'],
  ['http://192.168.0.1:3000', 'private address'],
  ['http://localhost:3000/cb', 'loopback with a path'],
  ['http://user@localhost:3000', 'loopback with a user name'],
  ['http://localhost:*', 'loopback with a wildcard port'],
  ['myapp', 'app scheme without a colon'],
  ['myapp:/', 'app scheme with one slash'],
  ['myapp:////', 'app scheme with four slashes'],
  ['myapp://host', 'app scheme with a host'],
  ['myapp:///path', 'app scheme with a path'],
  ['myapp:path', 'app scheme with a path and no slashes'],
  ['myapp://?x', 'app scheme with a query'],
  ['myapp://#f', 'app scheme with a fragment'],
  ['myapp://*', 'app scheme with a wildcard'],
  ['myapp://\n', 'app scheme with a line feed'],
  ['myapp:\n', 'app scheme with a line feed and no slashes'],
  [' myapp://', 'app scheme after a space'],
  ['my*app://', 'wildcard in an app scheme'],
  ['*://', 'wildcard as a scheme'],
  ['my_app://', 'underscore in an app scheme'],
  ['1app://', 'digit first'],
  ['-app://', 'hyphen first'],
  ['m\u0443app://', 'Cyrillic letter in an app scheme'],
  ['loca\u212aapp://', 'Kelvin sign, which lower-cases to k, in an app scheme'],
  ['://', 'empty scheme'],
]

const BROWSER_SCHEMES =
  'about android-app blob chrome chrome-extension content data devtools edge file filesystem ftp ftps gopher http https intent jar javascript livescript mailto mhtml mocha moz-extension opera resource sms tel urn vbscript view-source ws wss wyciwyg'.split(
    ' ',
  )

test('parseOriginEntry: normalizes entries', () => {
  const given = ACCEPTED.map(([entry, , why]) => [entry, parseOriginEntry(entry), why])
  assert.deepEqual(given, ACCEPTED)
})

test('parseOriginEntry: normalization is idempotent', () => {
  for (const [, normalised] of ACCEPTED) assert.equal(parseOriginEntry(normalised), normalised)
})

test('parseOriginEntry: rejects entries that are not a bare origin', () => {
  assert.deepEqual(
    REJECTED.filter(([entry]) => parseOriginEntry(entry) !== null),
    [],
  )
})

test('parseOriginEntry: rejects browser schemes in any spelling', () => {
  const spellings = BROWSER_SCHEMES.flatMap(scheme => [scheme, scheme.toUpperCase()]).flatMap(scheme => [
    `${scheme}:`,
    `${scheme}://`,
    `${scheme}:///`,
  ])
  assert.deepEqual(
    spellings.filter(entry => parseOriginEntry(entry) !== null),
    [],
  )
})

test('originOf: equals the entry that lists the address', () => {
  const table: [address: string, origin: string | null][] = [
    ['https://APP.example.com:443/cb?x#f', 'https://app.example.com'],
    ['https://app.example.com:8443/cb', 'https://app.example.com:8443'],
    ['http://localhost:3000/cb', 'http://localhost:3000'],
    ['http://[::1]:3000/cb', 'http://[::1]:3000'],
    ['MYAPP://host/cb', 'myapp://'],
    ['myapp:cb', 'myapp://'],
    ['https://user@app.example.com/', null],
    ['https://app.example.com./', null],
    ['https://*.example.com/', null],
    ['http://app.example.com/', null],
    ['myapp://user@host/', null],
    ['blob:https://app.example.com/6c1c1d2e', null],
    ['filesystem:https://app.example.com/temporary/x', null],
    ['javascript:alert(1)', null],
  ]
  for (const [address, origin] of table) {
    const url = parseUrl(address)
    assert.ok(url, address)
    assert.equal(originOf(url), origin, address)
  }
})
