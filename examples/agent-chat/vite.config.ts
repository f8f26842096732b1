import { defineConfig } from 'vite'

export default defineConfig({
  build: {
    // The server's content security policy forbids inline assets.
    assetsInlineLimit: 0,
    rolldownOptions: { input: ['index.html', 'approved.html'] },
    modulePreload: { polyfill: false },
  },
})
