import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isLoopbackHost } from '@carabiner/contract/loopback'
import { isLoopbackAddress } from './loopback.ts'

it('loopback: the host of a URL, in any spelling that a URL parser accepts', () => {
  const isLoopback = (url: string): boolean => isLoopbackHost(new URL(url).hostname)
  for (const url of ['http://localhost:3000/', 'http://LOCALHOST', 'http://127.1/', 'http://[0:0::1]:80/'])
    assert.ok(isLoopback(url), url)
  for (const url of [
    'http://app.localhost/',
    'http://localhost.example.com/',
    'http://127.0.0.2/',
    'http://[::2]/',
    'http://0.0.0.0/',
  ])
    assert.ok(!isLoopback(url), url)
})

it('loopback: the address of a listener or a peer', () => {
  for (const address of ['localhost', '127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])
    assert.ok(isLoopbackAddress(address), address)
  for (const address of ['0.0.0.0', '::', '10.0.0.1', '::ffff:10.0.0.1', '1127.0.0.1', '127.evil.example'])
    assert.ok(!isLoopbackAddress(address), address)
})
