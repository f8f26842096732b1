import { defineConfig } from '@playwright/test'

const { CHROMIUM_PATH: executablePath } = process.env

export default defineConfig({
  testMatch: '*.spec.ts',
  timeout: 120_000,
  expect: { timeout: 30_000 },
  use: {
    // Default: the browser that `npx playwright install chromium` has downloaded.
    launchOptions: executablePath ? { executablePath, args: ['--no-sandbox'] } : {},
  },
})
