/** Preloaded into the test processes of `npm test -- --costs`. */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { measured, reportAtExit } from './costs.ts'

reportAtExit()
const { scrypt } = crypto
crypto.scrypt = (...args) => {
  const done = args.pop()
  void measured(
    'password hashing',
    () =>
      new Promise(resolve => {
        scrypt(...args, (...results) => {
          resolve()
          done(...results)
        })
      }),
  )
}
syncBuiltinESMExports()
