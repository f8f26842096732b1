/**
 * The script of Link's pages. The server renders everything, and forms and links work without the script; it adds behavior
 * that needs a browser: frames, windows, live search and connection state.
 */
/**
 * @typedef {{ outcome: string, reason: string | null, Connector: string, at: string }} Last
 * @typedef {{ status: 'open' | 'awaiting_confirmation' | 'completed' | 'expired' | 'ended', last: Last | null }} State
 */

const page = document.body
const data = page.dataset
const framed = window.parent !== window
/** @param {string} selector @returns {HTMLElement | null} */
const find = selector => page.querySelector(selector)
/** @param {string} selector @returns {HTMLFormElement | null} */
const findForm = selector => page.querySelector(selector)
/** @param {string} selector @returns {HTMLElement[]} */
const all = selector => [...page.querySelectorAll(selector)].filter(element => element instanceof HTMLElement)
/** @param {string} selector */
const show = (selector, visible = true) => {
  for (const element of all(selector)) element.hidden = !visible
}

// --- messages to the embedding component, sent only to the origin that the server has checked

/** @param {'ready' | 'success' | 'close'} type @param {unknown} [result] */
const notifyParent = (type, result) => {
  const message = { carabiner: data.nonce, type, ...(result !== undefined && { result }) }
  if (framed && data.opener) window.parent.postMessage(message, data.opener)
}
/** Browsers close only windows that a script opened. If the window stays open, the page tells the person to close it. */
const closeLink = () => {
  if (framed) return notifyParent('close')
  window.close()
  window.setTimeout(() => {
    show('main [data-do=close]', false)
    show('.closable')
  }, 300)
}

notifyParent('ready')
if (data.result) notifyParent('success', JSON.parse(data.result))
if (data.close) closeLink()
show('main [data-do=close], [data-do=reveal], [data-do=choose-file]')
show('.closable', false)
for (const time of page.querySelectorAll('time')) {
  const { form } = time.dataset
  time.textContent = new Date(time.dateTime).toLocaleString(document.documentElement.lang, {
    ...(form !== undefined && { day: 'numeric', month: 'short', year: 'numeric' }),
    ...(form !== 'date' && { hour: '2-digit', minute: '2-digit' }),
  })
}
// Browsers ignore `autofocus` in cross-origin frames.
if (framed && data.opener) find('[aria-invalid], input[type=search]')?.focus()
// Some browsers do not let a frame navigate its parent without a click; the visible button is the fallback.
find('a[data-do=leave-frame]')?.click()

addEventListener('keydown', event => {
  if (event.key !== 'Escape' || !framed || event.defaultPrevented) return
  const cancel = findForm('#cancel')
  if (cancel) cancel.requestSubmit()
  else closeLink()
})

// --- the outcome is received from the server, whatever happens to the windows

/** @param {string | undefined} address */
const navigate = address => {
  if (address) location.replace(address)
}
/** @type {string | null | undefined} */
let lastSeenAt
let polling = 0

/** @param {State} state */
const handleState = ({ status, last }) => {
  if (status === 'completed' || status === 'awaiting_confirmation') {
    if (location.pathname !== new URL(data.done ?? '', location.href).pathname || status === 'completed')
      navigate(data.done)
  } else if (status !== 'open') navigate(data.home)
  else if (lastSeenAt !== undefined && last && last.at !== lastSeenAt) {
    const address = new URL(data.ended ?? '', location.href)
    address.searchParams.set('outcome', last.outcome)
    address.searchParams.set('connector', last.Connector)
    if (last.reason) address.searchParams.set('reason', last.reason)
    navigate(address.href)
  }
  lastSeenAt = last && last.at
}

const poll = () => {
  polling ||= window.setInterval(() => {
    fetch(data.events ?? '', { headers: { accept: 'application/json' } })
      .then(answer => (answer.ok ? answer.json() : null))
      .then(/** @param {State | null} state */ state => state && handleState(state))
      .catch(() => undefined)
  }, 2000)
}

if (data.events) {
  const source = new EventSource(data.events)
  let failures = 0
  // A stream sends its first state at once, unless a proxy buffers it.
  const silent = window.setTimeout(() => {
    source.close()
    poll()
  }, 5000)
  source.addEventListener('state', event => {
    failures = 0
    clearTimeout(silent)
    handleState(JSON.parse(event.data))
  })
  source.addEventListener('error', () => {
    if (source.readyState !== EventSource.CLOSED && ++failures < 3) return
    source.close()
    poll()
  })
}

// --- forms: in a frame they open the provider in a window; they show a busy state while being submitted

const LATE_AFTER_MS = 20_000
const leaving = findForm('form[data-do=leave]')
const opensWindow = framed && find('.waiting') !== null

/**
 * Submits the form in the current tab. The surface becomes `hosted`, so that the flow continues in the tab after the
 * outcome.
 * @param {HTMLFormElement} form
 */
const stayInTab = form => {
  form.target = '_top'
  const view = form.elements.namedItem('view')
  if (view instanceof HTMLInputElement) view.value = view.value.replace('surface=embedded', 'surface=hosted')
}

// A connection that is renewed in another window is shown here when the person comes back.
findForm('form[data-do=in-window]')?.addEventListener('submit', () =>
  addEventListener('focus', () => location.reload(), { once: true }),
)

let lateTimer = 0
/** @param {'soon' | 'late' | 'blocked'} part */
const showWaiting = part => {
  show('.soon, .late, .blocked', false)
  show(`.${part}`)
}
/**
 * Returns false if the form must not be submitted: an application with the opener policy `same-origin` severs the windows
 * of its frames, so window.open returns null although a window was opened. That window shows this page, and the person
 * continues there.
 * @param {HTMLFormElement} form
 */
const openWindow = form => {
  const clicked = navigator.userActivation?.isActive ?? false
  const name = `carabiner-${data.nonce ?? ''}`
  const [width, height] = [500, 720]
  const left = screenX + (outerWidth - width) / 2
  const top = screenY + (outerHeight - height) / 2
  const opened = window.open(
    location.href,
    name,
    `popup,width=${width},height=${height},left=${left},top=${top}`,
  )
  if (!opened && !clicked) {
    stayInTab(form)
    return true
  }
  form.target = name
  show('.ask', false)
  show('.waiting')
  // Without a window object the pop-up was blocked, unless this page loses focus to a window that was severed.
  showWaiting(opened ? 'soon' : 'blocked')
  addEventListener('blur', () => find('.blocked')?.hidden || showWaiting('soon'), { once: true })
  clearTimeout(lateTimer)
  if (opened) lateTimer = window.setTimeout(() => showWaiting('late'), LATE_AFTER_MS)
  return opened !== null
}

/** @param {HTMLFormElement} form @param {HTMLElement | null} pressed */
const busy = (form, pressed) => {
  const button = pressed?.matches('[data-busy]') ? pressed : form.querySelector('button[data-busy]')
  if (!(button instanceof HTMLElement)) return
  const text = button.querySelector('span')
  const before = text?.textContent ?? ''
  if (text) text.textContent = button.dataset.busy ?? before
  button.setAttribute('aria-busy', 'true')
  // The back button restores the page with its busy state.
  addEventListener('pageshow', () => {
    if (text) text.textContent = before
    button.removeAttribute('aria-busy')
  })
}

/** @param {unknown} target @returns {target is HTMLInputElement | HTMLTextAreaElement} */
const isEntry = target => target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement

/**
 * Checks the fields against the connector's formats, as the server does. Invalid fields are marked, and the first one is
 * focused.
 * @param {HTMLFormElement} form
 */
const validateFields = form => {
  const inputs = all('[data-pattern]')
    .filter(isEntry)
    .filter(input => input.form === form)
  const invalid = inputs.filter(input => {
    const value = input.name.startsWith('tenant.') ? addressPart(input) : input.value.trim()
    const valid =
      (value === '' && !input.required) || new RegExp(`^(?:${input.dataset.pattern})$`).test(value)
    mark(input, !valid)
    return !valid
  })
  invalid[0]?.focus()
  return invalid.length === 0
}
/**
 * Accepts a whole URL where only its host, or the part before the suffix, is expected.
 * @param {HTMLInputElement | HTMLTextAreaElement} input
 */
const addressPart = input => {
  const value = input.value.trim()
  const host = value.replace(/^https?:\/\//i, '').replace(/[/?#].*$/, '')
  const suffix = input.closest('.with-suffix')?.querySelector('span')?.textContent ?? ''
  if (suffix === '') return /^https?:\/\//i.test(value) ? host : value
  return host.toLowerCase().endsWith(suffix.toLowerCase()) ? host.slice(0, -suffix.length) : value
}
/** @param {HTMLInputElement | HTMLTextAreaElement} input @param {boolean} unfit */
const mark = (input, unfit) => {
  const id = `${input.id}-unfit`
  const others = (input.getAttribute('aria-describedby') ?? '').split(' ').filter(part => part && part !== id)
  if (unfit) input.setAttribute('aria-invalid', 'true')
  else input.removeAttribute('aria-invalid')
  input.setAttribute('aria-describedby', [...(unfit ? [id] : []), ...others].join(' '))
  show(`#${id}`, unfit)
}
addEventListener('input', ({ target }) => {
  if (isEntry(target) && target.dataset.pattern) mark(target, false)
})

addEventListener('submit', event => {
  const form = event.target
  if (!(form instanceof HTMLFormElement)) return
  if (!navigator.onLine) {
    event.preventDefault()
    return show('.offline')
  }
  if (!validateFields(form)) event.preventDefault()
  else if (form === leaving && opensWindow && form.target !== '_top') {
    if (!openWindow(form)) event.preventDefault()
  } else if (form.querySelector('[aria-busy]')) event.preventDefault()
  else busy(form, event.submitter)
})

// --- connection

const connection = () => show('.offline', !navigator.onLine)
addEventListener('online', connection)
addEventListener('offline', connection)
if (!navigator.onLine) connection()

// --- the hosted page: exchanges the token from the fragment and removes it from the address bar

let token = ''
const exchangeToken = async () => {
  // Encoded, because a damaged token may contain characters that no header can. A valid one stays the same.
  const headers = { authorization: `Bearer ${encodeURI(token)}` }
  const answer = await fetch(data.trade ?? '', { method: 'POST', headers })
  if (answer.ok) return (await answer.json()).url
  if (answer.status >= 500 || answer.status === 429) throw new Error(`answered ${answer.status}`)
  return null
}
const openSession = async () => {
  show('.unreachable, .invalid', false)
  show('.soon')
  const slow = window.setTimeout(() => show('.slow'), 10_000)
  try {
    const address = await exchangeToken()
    if (address) return navigate(address + location.search)
    show('.invalid')
  } catch {
    show('.unreachable')
  } finally {
    clearTimeout(slow)
  }
  show('.soon, .slow', false)
}
if (data.trade) {
  token = new URLSearchParams(location.hash.slice(1)).get('link_token') ?? ''
  history.replaceState(null, '', location.pathname + location.search)
  void openSession()
}

// --- the picker: filter while typing, move with the arrow keys

/** @type {HTMLInputElement | null} */
const search = page.querySelector('input[type=search]')
const rows = all('.rows li')
const searched = rows.map(row => ({
  name: row.querySelector('bdi')?.textContent ?? '',
  keywords: row.dataset.keywords?.split(',') ?? [],
  text: row.querySelector('small')?.textContent ?? '',
}))
let category = find('.chips [aria-current]')?.dataset.category ?? ''

const applyFilter = () => {
  const query = search?.value.trim() ?? ''
  const ranked = rows.map((row, i) => {
    const fits = !category || row.dataset.category?.split(' ').includes(category)
    return { row, rank: fits ? rankOf(query, searched[i] ?? { name: '', keywords: [], text: '' }) : -1 }
  })
  for (const { row, rank } of ranked) row.hidden = rank < 0
  const list = find('.rows')
  const scroller = find('.list')
  // The sort is stable, so equal matches keep their order.
  list?.append(...ranked.toSorted((a, b) => a.rank - b.rank).map(({ row }) => row))
  if (scroller) scroller.scrollTop = 0
  const none = ranked.every(({ rank }) => rank < 0)
  const named = find('.none bdi')
  if (named && none) named.textContent = query
  show('.none', none)
}
/** The visible rows in their current order. */
const shownRows = () => all('.rows li:not([hidden])')

if (search) {
  search.addEventListener('input', applyFilter)
  search.form?.addEventListener('submit', event => {
    event.preventDefault()
    event.stopPropagation()
    if (search.value.trim()) shownRows()[0]?.querySelector('a')?.click()
  })
  find('.chips')?.addEventListener('click', event => {
    const chip = event.target instanceof Element && event.target.closest('[data-category]')
    if (!(chip instanceof HTMLElement)) return
    event.preventDefault()
    category = chip.dataset.category ?? ''
    for (const other of all('.chips [aria-current]')) other.removeAttribute('aria-current')
    chip.setAttribute('aria-current', 'true')
    applyFilter()
  })
}
if (rows.length > 0) {
  addEventListener('keydown', event => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    const buttons = shownRows().map(row => row.querySelector('a, button'))
    const stops = [search, ...buttons].filter(stop => stop instanceof HTMLElement)
    const at = stops.findIndex(stop => stop === document.activeElement)
    event.preventDefault()
    stops[Math.min(Math.max(at + step, 0), stops.length - 1)]?.focus()
  })
}

// --- buttons that need a script

/** @type {Record<string, (button: HTMLElement) => void | Promise<void>>} */
const actions = {
  close: closeLink,
  trade: openSession,
  again: () => leaving?.requestSubmit(),
  here: () => {
    if (leaving) stayInTab(leaving)
    leaving?.requestSubmit()
  },
  reveal: button => {
    const input = button.previousElementSibling
    if (!(input instanceof HTMLInputElement)) return
    const isShown = input.type === 'text'
    input.type = isShown ? 'password' : 'text'
    button.setAttribute('aria-pressed', String(!isShown))
    const label = button.textContent
    button.textContent = button.dataset.done ?? ''
    button.dataset.done = label ?? ''
  },
  'choose-file': button => {
    const area = button.previousElementSibling
    if (!(area instanceof HTMLTextAreaElement)) return
    const file = document.createElement('input')
    file.type = 'file'
    const read = async () => {
      const chosen = file.files?.[0]
      if (!chosen) return
      // A larger file is none of the files that a provider issues, and the service would not accept it.
      const fits = chosen.size <= 64 * 1024
      if (fits) area.value = await chosen.text()
      mark(area, !fits)
      area.focus()
    }
    file.addEventListener('change', () => void read())
    file.click()
  },
  copy: async button => {
    await navigator.clipboard.writeText(location.href)
    button.textContent = button.dataset.done ?? ''
  },
}
addEventListener('click', event => {
  const button = event.target instanceof Element && event.target.closest('button[data-do]')
  if (button instanceof HTMLElement) void actions[button.dataset.do ?? '']?.(button)
})
if ('clipboard' in navigator) show('[data-do=copy]')
