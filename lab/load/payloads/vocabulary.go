package payloads

// The words of requests. Addresses are from ranges reserved for documentation, names and shops are invented,
// user agents are real.

var agents = []string{
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0",
	"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
	"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
	"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
	"Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
	"Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
	"Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.6478.71 Mobile Safari/537.36",
	"Mozilla/5.0 (Linux; Android 13; SM-A536B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36",
	"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
	"Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
	"curl/8.7.1",
	"Go-http-client/2.0",
	"python-requests/2.32.3",
}

var referers = []string{
	"-", "-", "-",
	"https://www.example.com/",
	"https://www.example.com/shop/outdoor/tents?page=3",
	"https://www.example.com/search?q=sleeping+bag+-15",
	"https://search.example.org/url?sa=t&source=web&rct=j&url=https://www.example.com/shop/",
	"https://news.example.net/2024/06/best-hiking-boots-tested/",
	"android-app://com.example.reader/",
}

var paths = []string{
	"/", "/cart", "/checkout/payment", "/checkout/confirm", "/api/v2/orders",
	"/api/v2/orders/preview", "/shop/outdoor/tents", "/shop/outdoor/sleeping-bags",
	"/shop/footwear/hiking-boots/product/ridge-pro-gtx-mid", "/account/orders",
	"/account/addresses/edit", "/search", "/static/js/main.4f9c2a71.js",
	"/blog/2024/06/how-to-choose-a-rucksack", "/wp-login.php", "/favicon.ico",
}

var queryKeys = []string{
	"page", "sort", "color", "size", "utm_source", "utm_medium",
	"utm_campaign", "ref", "session", "lang", "filter", "coupon",
}

var queryValues = []string{
	"1", "2", "17", "price_asc", "popularity", "forest-green", "xl", "newsletter",
	"email", "summer-sale-2024", "homepage-teaser", "de", "en-GB", "in-stock", "SAVE10",
}

var methods = []string{"GET", "GET", "GET", "GET", "POST", "POST", "PUT", "HEAD", "DELETE"}

var statuses = []int{200, 200, 200, 200, 200, 200, 201, 204, 301, 302, 304, 400, 403, 404, 404, 500, 503}

var zones = []int{0, 3600, 7200, -5 * 3600, -8 * 3600, 19800, -12600}

var firstNames = []string{
	"Amelia", "Björn", "Chloé", "Dmitri", "Eleni", "Fatima", "Grace", "Hiroshi",
	"Ingrid", "José", "Katarzyna", "Liam", "Mónica", "Nguyễn", "Olga", "Priya",
}

var lastNames = []string{
	"Andersson", "Brown", "Castellano", "Dubois", "Eriksen", "Fernández",
	"García-López", "Hoffmann", "Ivanova", "Jørgensen", "Kowalski", "Müller",
	"Nakamura", "O'Connor", "Papadopoulos", "van den Berg",
}

var streets = []string{
	"12 Harbour Lane", "Bahnhofstraße 77b", "221 Elm Street, Apt. 9", "rue de la Paix 4",
	"Calle Mayor 31, 2º dcha.", "Storgata 5", "1-2-3 Shibuya", "Via Garibaldi 118",
}

var cities = [][2]string{
	{"Bristol", "GB"}, {"Leipzig", "DE"}, {"Portland", "US"}, {"Lyon", "FR"},
	{"Zaragoza", "ES"}, {"Tromsø", "NO"}, {"Tokyo", "JP"}, {"Bologna", "IT"},
}

var systems = []string{"Windows 11", "macOS 14.5", "Ubuntu 24.04", "iOS 17.5.1", "Android 14"}

var browsers = []string{"Chrome 126", "Safari 17.5", "Firefox 127", "Edge 126", "Samsung Internet 25"}

var screens = [][2]int64{{1920, 1080}, {2560, 1440}, {1440, 900}, {390, 844}, {412, 915}}

// Titles contain quotes and ampersands, which JSON escapes.
var titles = []string{
	"Ridge Pro GTX Mid Hiking Boot", `15.6" Laptop Sleeve, recycled`, "Two-Person Tent Aurora 2",
	"Merino Base Layer, long sleeve", "Headlamp 400 lm & red light", "Sleeping Bag -15 °C, left zip",
	"Stainless Steel Bottle 0.75 l", `Climbing Rope 9.8 mm × 60 m "Dry"`, "Rucksack Fjell 38 l",
	"Trekking Poles, carbon (pair)", "Gas Stove Mini", "First Aid Kit <Family>",
}

var tags = []string{
	"outdoor", "sale", "new-in", "bestseller", "vegan", "recycled", "winter",
	"waterproof", "gift-idea", "clearance", "limited",
}

var currencies = []string{"EUR", "GBP", "USD", "NOK", "JPY"}

var attrKeys = []string{
	"ab.bucket", "campaign", "checkout.step", "consent", "coupon", "experiment.search-rank",
	"feature.newcart", "locale", "payment.method", "shipping.method", "warehouse",
}

var attrValues = []string{
	"A", "B", "control", "true", "false", "treatment-3", "card", "invoice", "dhl-express",
	"standard", "en_GB", "de_DE", "leipzig-2", "analytics,marketing", "2024-summer",
}
