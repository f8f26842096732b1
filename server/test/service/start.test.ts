import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import { readConfig } from '../../src/platform/config.ts'
import { createLog } from '../../src/platform/log.ts'
import { startService } from '../../src/service.ts'
import { createTestDatabase } from '../support/databases.ts'

test('a start that fails closes everything it opened, so that the next start succeeds', async () => {
  const database = await createTestDatabase('pglite')
  const keys = mkdtempSync(join(tmpdir(), 'carabiner-keys-'))
  const port = await freePort()
  const config = () =>
    readConfig({
      PORT: String(port),
      SANDBOX_PORT: '0',
      KEY_FILE: join(keys, 'vault.key'),
      TOMBSTONE_PATH: join(keys, 'tombstones', 'deleted-users.log'),
      DATA_DIRECTORY: database.folder,
    })
  const portHolder = createServer()
  await new Promise<void>(resolve => portHolder.listen(port, 'localhost', resolve))
  await assert.rejects(startService(config(), createLog('silent')), { code: 'EADDRINUSE' })
  await new Promise(resolve => portHolder.close(resolve))
  // The folder of the embedded database is locked while it is open, so this start succeeds only if the first one closed it.
  const service = await startService(config(), createLog('silent'))
  assert.equal((await fetch(`${config().baseUrl}/readyz`)).status, 200)
  await service.stop()
  await assert.rejects(fetch(`${config().baseUrl}/readyz`))
  await database.drop()
  rmSync(keys, { recursive: true })
})
