/** `npm run proof:popups`: every opener policy in both modes. `npm run test:slow` runs most policies in one mode. */
process.env.TEST_POPUPS = 'all'
process.argv.push('e2e/popups.test.ts')
await import('./test.ts')
