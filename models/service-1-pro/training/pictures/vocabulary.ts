/**
 * The words of the pages. Every tenth entry (by a hash of its text) is held out: training pages never draw it, and dev
 * pages draw it often, so dev scores show how the model reads labels that are new to it.
 */
import type { Random } from './random.ts'

const list = (text: string): string[] =>
  text
    .split('|')
    .map((entry) => entry.trim())
    .filter(Boolean)

export const lists = {
  actions: list(
    `Save|Cancel|Submit|Delete|Edit|OK|Close|Apply|Reset|Continue|Next|Back|Send|Reply|Forward|Search|Add|Remove|Create|Update|Confirm|Done|Finish|Skip|Retry|Try again|Download|Upload|Export|Import|Print|Share|Copy|Paste|Rename|Move|Archive|Restore|Refresh|Sync|Connect|Disconnect|Enable|Disable|Start|Stop|Pause|Resume|Play|Record|Publish|Preview|Install|Uninstall|Upgrade|Learn more|Get started|View details|See all|Show more|Load more|Read more|Add to cart|Buy now|Checkout|Place order|Pay now|Book now|Reserve|Subscribe|Unsubscribe|Follow|Invite|Join|Leave|Accept|Decline|Allow|Deny|Block|Report|Approve|Reject|Verify|Resend code|Save changes|Discard|Keep editing|Go back|New message|New project|Add member|Add item|Change password|Clear|Clear all|Select all|Filter|Sort|Help|Contact us|Sign in|Sign up|Log in|Log out|Sign out|Register|Create account|Continue as guest|Undo|Redo|Open|View|Choose file|Browse|Attach|Compose|Mark as read|Snooze|Schedule|Duplicate|Merge|Deploy|Run|Build|Test|Proceed|Yes|No|Maybe later|Not now|Dismiss|Got it|Agree|Disagree|Remind me later`,
  ),
  fields: list(
    `Email|Password|Username|Full name|First name|Last name|Phone|Phone number|Address|Street|City|State|Zip code|Postcode|Country|Company|Website|Date of birth|Card number|Expiry date|Security code|Name on card|Coupon code|Message|Subject|Comment|Title|Description|Search|Confirm password|New password|Current password|Email address|Age|Gender|Language|Time zone|Currency|Amount|Quantity|Price|Category|Notes|Tags|Start date|End date|Check in|Check out|Guests|From|To|Cc|Account number|Tax number|Order number|Job title|Department|Nickname|Bio|Location|Height|Weight|Budget|Delivery date|Project name|Team name|File name|Host|Port|Token|Reference`,
  ),
  options: list(
    `Remember me|Keep me signed in|I agree to the terms|Subscribe to the newsletter|Send me updates|Email notifications|Push notifications|Text messages|Weekly summary|Marketing emails|Dark mode|Auto save|Show passwords|Location access|Share usage data|Two factor login|Public profile|Show online status|Read receipts|Play sounds|Vibrate|Airplane mode|Bluetooth|Wifi|Mobile data|Do not disturb|Automatic updates|Spell check|Compact view|Large text|High contrast|Sync contacts|Backup|Gift wrap|Save this card|Same as billing address|Express delivery|Insurance|Breakfast included|Free parking|Pets allowed|Accept cookies|Analytics|Advertising|Enable comments|Private account|Night shift|Reduce motion|Captions|Autoplay|Developer mode|Vegetarian|Vegan|Gluten free|Extra cheese|Onions|Mushrooms|Olives`,
  ),
  choices: list(
    `Standard|Express|Overnight|Pick up|Credit card|Cash|Bank transfer|Voucher|Monthly|Yearly|Small|Medium|Large|Basic|Pro|Business|Free|Light|Dark|System|Everyone|Friends|Only me|Low|Normal|High|Urgent|Daily|Weekly|Never|Always|Ask every time|One way|Round trip|Economy|First class|Male|Female|Other|Yes|No|Public|Private|Home|Office`,
  ),
  tabs: list(
    `Home|Overview|Profile|Settings|Messages|Orders|Products|Customers|Reports|Analytics|Billing|Security|Notifications|Members|Projects|Tasks|Calendar|Files|Photos|Videos|Music|Activity|History|Details|Reviews|Comments|Inbox|Sent|Drafts|Spam|Trash|Archive|Favorites|Downloads|Account|Privacy|Appearance|General|Advanced|Network|Storage|Users|Teams|Invoices|Payments|Shipping|Dashboard|Explore|Library|Search|Cart|Wishlist|Deals|News|Sports|Weather|Maps|Help|About|Contact|Blog|Pricing|Features|Docs|Support|Integrations|Logs|Events|Alerts|Plans`,
  ),
  headings: list(
    `Welcome back|Sign in to your account|Create your account|Account settings|Your cart|Order summary|Payment details|Shipping address|Contact us|Personal information|Recent orders|Team members|Notifications|Monthly report|Sales overview|Latest news|Getting started|Your profile|Change password|Privacy settings|Popular products|Upcoming events|Open tasks|System status|Customer list|Invoices|My files|Today|Frequently asked questions|Book a room|Find a flight|Leave a review|Support tickets|Weekly plan|Storage|Billing history`,
  ),
  errors: list(
    `This field is required|Please enter a valid email address|Wrong password|Invalid username or password|The passwords do not match|Your card was declined|Something went wrong|The code has expired|This name is already taken|Enter a valid phone number|The date must be in the future|Payment failed|Connection lost|File is too large|Password is too short|Please accept the terms|The amount is too high|Could not save your changes|Card number is invalid|Session expired, sign in again|Out of stock|Server not reachable|Access denied|Upload failed`,
  ),
  successes: list(
    `Your changes have been saved|Payment received|Message sent|Order placed|Profile updated|Password changed|File uploaded|Account created|Invitation sent|Thank you for your order|Backup complete|Email verified|Item added to your cart|Settings saved`,
  ),
  infos: list(
    `A new version is available|Scheduled maintenance tonight|Your trial ends in 3 days|Free delivery on orders over 50|You have unread messages|Storage is almost full|We use cookies on this site|Check your inbox for the code`,
  ),
  dialogs: list(
    `Delete this file?|Are you sure?|Leave without saving?|Confirm your order|Sign out?|Cookie settings|Rename file|Invite people|Share this page|Rate this app|Update available|Session expired|Allow notifications?|Add payment method|New folder|Empty the trash?|Cancel subscription?|Discard changes?|Enable location?|Import contacts`,
  ),
  columns: list(
    `Name|Email|Status|Date|Amount|Total|Price|Quantity|Owner|Type|Size|Role|City|Order|Customer|Product|Due|Progress|Priority|Country|Score|Category|Rating|Stock`,
  ),
  statuses: list(
    `Active|Inactive|Pending|Paid|Unpaid|Overdue|Shipped|Delivered|Cancelled|Refunded|Open|Closed|In progress|Blocked|Draft|Published|Failed|Running|Online|Offline|New|Done`,
  ),
  firstNames: list(
    `Anna|Ben|Clara|David|Emma|Frank|Grace|Henry|Iris|Jack|Karen|Liam|Maria|Noah|Olivia|Peter|Quinn|Rosa|Sam|Tina|Uma|Victor|Wendy|Yusuf|Zoe|Ali|Chen|Diego|Elena|Fatima|George|Hana|Ivan|Julia|Kofi|Laura|Marco|Nina|Omar|Priya|Ravi|Sofia|Tom|Vera|William|Yuki|John|Mary|Lucy|Alex`,
  ),
  lastNames: list(
    `Smith|Jones|Brown|Taylor|Wilson|Clark|Lewis|Walker|Hall|Young|King|Wright|Scott|Green|Baker|Adams|Nelson|Carter|Mitchell|Roberts|Turner|Phillips|Campbell|Parker|Evans|Edwards|Collins|Stewart|Morris|Rogers|Reed|Cook|Morgan|Bell|Murphy|Bailey|Cooper|Gray|Lee|Kim|Singh|Patel|Garcia|Lopez|Müller|Rossi|Novak|Silva`,
  ),
  products: list(
    `Coffee|Tea|Bread|Milk|Cheese|Butter|Apples|Bananas|Rice|Pasta|Chicken|Salad|Pizza|Burger|Soup|Sandwich|Cake|Juice|Water|Sugar|Laptop|Phone|Headphones|Keyboard|Mouse|Monitor|Camera|Printer|Tablet|Charger|Cable|Speaker|Watch|Shoes|Jacket|Shirt|Jeans|Hat|Socks|Backpack|Lamp|Desk|Chair|Sofa|Table|Mirror|Pillow|Blanket|Towel|Bottle|Mug|Plate|Knife|Book|Notebook|Pen|Pencil|Guitar|Ball|Bicycle|Helmet|Tent|Toy|Puzzle|Soap|Shampoo|Sunglasses|Wallet|Umbrella`,
  ),
  adjectives: list(
    `Red|Blue|Green|Black|White|Yellow|Small|Large|Classic|Modern|Fresh|Organic|Wireless|Leather|Cotton|Wooden|Steel|Portable|Smart|Light|Heavy|Soft|Warm|Cold|Sweet|Spicy|Premium|Basic|Vintage|New|Used|Digital|Mini|Deluxe|Summer|Winter`,
  ),
  metrics: list(
    `Revenue|Visitors|Orders|Sales|Users|Sessions|Conversion|Profit|Growth|Refunds|Views|Downloads|Sign ups|Tickets|Uptime|Errors|Latency|Balance|Expenses|Income|Followers|Likes|Temperature|Speed`,
  ),
  mailSubjects: list(
    `Meeting tomorrow|Your invoice is ready|Weekly report|Lunch on Friday?|Project update|Your order has shipped|Password reset|Happy birthday|Invitation to the party|Flight confirmation|Question about the contract|New comment on your post|Reminder: dentist|Team photo|Job application|Draft for review|Monthly newsletter|Security alert|Payment received|Change of address|Holiday plans|Minutes of the meeting|Bug in the release|Tickets for the concert`,
  ),
  chatLines: list(
    `Hi, how are you?|I am fine, thanks|See you tomorrow|Can you send me the file?|Sure, one moment|Where are you?|On my way|Running late, sorry|Great job everyone|What time is the meeting?|At three o'clock|Thank you so much|No problem|Call me when you can|Did you see the game?|Happy birthday!|Let's have dinner tonight|Sounds good to me|I will check and let you know|Please review the document|The build is broken again|It works now|Good night|Any news?|I have no idea|Wait for me at the station`,
  ),
  shops: list(
    `Corner Market|Green Grocer|City Books|Blue Cafe|Sunrise Bakery|Tech World|Fashion House|Home & Garden|Pet Paradise|Fresh Mart|The Coffee Bar|Pizza Place|Star Hotel|Quick Stop|Super Saver|Family Pharmacy`,
  ),
  brands: list(`Acme|Northwind|Bluebird|Orbit|Lumen|Pinecone|Harbor|Nimbus|Quartz|Vertex|Maple|Falcon|Ember|Willow|Zenith|Cobalt`),
} as const

export type ListName = keyof typeof lists

const isHeldOut = (text: string): boolean => {
  let hash = 2166136261
  for (const character of text.toLowerCase()) hash = Math.imul(hash ^ character.codePointAt(0)!, 16777619) >>> 0
  return (hash >>> 8) % 10 === 0
}

/** Draws entries for one page: from the seen part for training, often from the held-out part for dev. */
export class Vocabulary {
  readonly #random: Random
  readonly #isDev: boolean
  readonly #dictionary: readonly string[]

  constructor(random: Random, isDev: boolean, dictionary: readonly string[]) {
    this.#random = random
    this.#isDev = isDev
    this.#dictionary = dictionary
  }

  #allowed(entries: readonly string[]): readonly string[] {
    const kept = entries.filter((entry) => isHeldOut(entry) === (this.#isDev && this.#random.chance(0.3)))
    return kept.length > 0 ? kept : entries
  }

  pick(name: ListName): string {
    return this.#random.pick(this.#allowed(lists[name]))
  }

  sample(name: ListName, count: number): string[] {
    return this.#random.sample(this.#allowed(lists[name]), count)
  }

  /** A word of the word list; frequent words are drawn more often. */
  word(): string {
    const rank = Math.floor(this.#dictionary.length * this.#random.next() ** 1.6)
    return this.#dictionary[rank] ?? 'word'
  }

  words(count: number): string {
    return Array.from({ length: count }, () => this.word()).join(' ')
  }

  /** A label from a list, or sometimes random words, so that labels are read and not only recognised. */
  label(name: ListName): string {
    return this.#random.chance(0.2) ? capital(this.words(this.#random.int(1, 2))) : this.pick(name)
  }

  labels(name: ListName, count: number): string[] {
    const labels = this.sample(name, count).map((label) => (this.#random.chance(0.15) ? capital(this.words(1)) : label))
    return [...new Set(labels)]
  }

  person(): string {
    return `${this.pick('firstNames')} ${this.pick('lastNames')}`
  }

  email(): string {
    return `${this.pick('firstNames').toLowerCase()}@${this.pick('brands').toLowerCase()}.${this.#random.pick(['com', 'org', 'net'])}`
  }

  product(): string {
    return this.#random.chance(0.5) ? `${this.pick('adjectives')} ${this.pick('products').toLowerCase()}` : this.pick('products')
  }

  money(): string {
    const amount = this.#random.next() ** 3 * 900 + 1
    return `${this.#random.pick(['$', '€', '£', '$'])}${amount.toFixed(this.#random.chance(0.7) ? 2 : 0)}`
  }

  date(): string {
    const day = this.#random.int(1, 28)
    const month = this.#random.pick(['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'])
    return this.#random.pick([
      `${day} ${month}`,
      `${month} ${day}, 202${this.#random.int(0, 6)}`,
      `202${this.#random.int(0, 6)}-0${this.#random.int(1, 9)}-${10 + (day % 18)}`,
    ])
  }

  sentence(): string {
    return `${capital(this.words(this.#random.int(4, 11)))}.`
  }
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
