// Runs before the first paint. The prerendered page is the plain sign-in form; a one-time link and a failed single sign-on show
// something else, so the form is hidden until src/start-sign-in.tsx has replaced it.
if (location.hash.length > 1 || new URLSearchParams(location.search).has('error'))
  document.documentElement.dataset.signIn = 'variant'
